"""A node from its enrolment to a deployed instance, and back."""

import openstack.exceptions
from ledger import connect, show, work_done

conn = connect()
# Left to itself, the SDK waits until the new node is available.
node = conn.baremetal.create_node(
    driver="ipmi", name="rack-2-01", provision_state="enroll", resource_class="baremetal", extra={"rack": 2}
)
states = [node.provision_state]


def goes(target, *reports):
    conn.baremetal.set_node_provision_state(node.id, target)
    states.append(conn.baremetal.get_node(node.id).provision_state)
    for report in reports:
        work_done(node.id, report)
    states.append(conn.baremetal.get_node(node.id).provision_state)


goes("manage", "done")
goes("provide", "done")
goes("active", "done")
try:
    conn.baremetal.set_node_provision_state(node.id, "provide")
    refused = None
except openstack.exceptions.BadRequestException as refusal:
    refused = refusal.status_code
goes("deleted", "clean", "done")

conn.baremetal.set_node_maintenance(node.id, reason="a fan")
kept = conn.baremetal.get_node(node.id)
conn.baremetal.unset_node_maintenance(node.id)
patched = conn.baremetal.patch_node(node.id, [{"op": "add", "path": "/extra/rack", "value": 3}])
result = {
    "states": states,
    "refused": refused,
    "maintenance": [kept.is_maintenance, kept.maintenance_reason],
    "extra": patched.extra,
    "listed": [found.name for found in conn.baremetal.nodes(provision_state="available")],
    "missing": conn.baremetal.find_node("rack-9-99"),
}
conn.baremetal.delete_node(node.id)
result["left"] = [found.name for found in conn.baremetal.nodes() if found.name == "rack-2-01"]
show(result)
