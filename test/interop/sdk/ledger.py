"""What the scripts share: a connection, and whoever reports over the native API what was done."""

import json
import os
import sys
import urllib.request

import openstack

URL = os.environ["STACKLEDGER_URL"]


def connect(**settings):
    return openstack.connect(load_yaml_config=False, load_envvars=True, **settings)


def tell(kind, resource_id, command, **data):
    """Gives a command to a resource as a worker does."""
    request = urllib.request.Request(
        f"{URL}/v1/{kind}s/{urllib.request.quote(resource_id)}/commands",
        json.dumps({"type": command, "data": data}).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {os.environ['WORKER_TOKEN']}"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def work_done(node_id, event="done"):
    """Reports that whatever is done to a node has come to its end."""
    request = urllib.request.Request(
        f"{URL}/v1/nodes/{node_id}", headers={"authorization": f"Bearer {os.environ['WORKER_TOKEN']}"}
    )
    with urllib.request.urlopen(request) as answer:
        reservation = json.load(answer)["reservation"]
    tell("node", node_id, "ReportProvisionEvent", event=event, token=reservation["token"])


def show(value):
    json.dump(value, sys.stdout)
