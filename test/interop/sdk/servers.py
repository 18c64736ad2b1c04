"""Servers as clients of two microversions see them: one that runs, one that waits for capacity."""

import openstack.exceptions
from ledger import connect, show, tell

conn = connect()


def seen_at(microversion, server_id):
    """What a client of that version is shown, and whether it finds the server by its status."""
    conn.compute.default_microversion = microversion
    shown = conn.compute.get_server(server_id)
    faults = conn.compute.get(f"/servers/{server_id}", microversion=microversion).json()["server"].get("fault")
    return {
        "status": shown.status,
        "vm_state": shown.vm_state,
        "fault": faults and faults["code"],
        "found_as": [
            status
            for status in ("ACTIVE", "ERROR", "PENDING")
            if server_id in [found.id for found in found_by(status)]
        ],
    }


def found_by(status):
    try:
        return list(conn.compute.servers(status=status))
    except openstack.exceptions.BadRequestException:
        return []  # to this version that is no status


def created(name):
    return conn.compute.create_server(name=name, image_id="cirros", flavor_id="1", networks="none").id


conn.compute.default_microversion = "2.94"
result = {}

waits = created("waits")
tell("server", waits, "ReportBuildFailure", reason="NoValidHost")
result["waits"] = {microversion: seen_at(microversion, waits) for microversion in ("2.94", "2.93", "2.1")}

conn.compute.default_microversion = "2.94"
runs = created("runs")
tell("server", runs, "ServerScheduled", host="compute-1")
tell("server", runs, "ReportBuildSuccess", host="compute-1")
result["runs"] = conn.compute.wait_for_server(conn.compute.get_server(runs), wait=20).status

conn.compute.reboot_server(runs, "HARD")
try:
    conn.compute.stop_server(runs)
except openstack.exceptions.ConflictException as conflict:
    result["busy"] = str(conflict.details)
tell("server", runs, "ReportActionSuccess", action="HardRebootServer")

rebuilt = conn.compute.rebuild_server(runs, image="debian")
result["rebuilding"] = [rebuilt.status, rebuilt.image.id]
tell("server", runs, "ReportActionSuccess", action="RebuildServer")
conn.compute.reset_server_state(runs, "error")
result["reset"] = conn.compute.get_server(runs).status
conn.compute.reset_server_state(runs, "active")
result["reset_back"] = conn.compute.get_server(runs).status
# The SDK has a call for this, which in this version fails before it asks anybody.
actions = conn.compute.get(f"/servers/{runs}/os-instance-actions").json()["instanceActions"]
result["actions"] = [action["action"] for action in reversed(actions)]

for server in (runs, waits):
    conn.compute.delete_server(server)
    if conn.compute.find_server(server):
        tell("server", server, "ReportActionSuccess", action="DeleteServer")
result["left"] = [server.name for server in conn.compute.servers() if server.id in (runs, waits)]
show(result)
