"""A network with what is on it, from nothing to nothing."""

from ledger import connect, show, tell

tell("agent", "compute-1:Open vSwitch agent", "RegisterAgent")
conn = connect()
network = conn.network.create_network(
    name="blue", provider_network_type="vlan", provider_physical_network="physnet1", provider_segmentation_id=7
)
subnet = conn.network.create_subnet(network_id=network.id, cidr="10.1.0.0/24", ip_version=4, name="blue-sub")
port = conn.network.create_port(
    network_id=network.id, name="eth0", fixed_ips=[{"subnet_id": subnet.id, "ip_address": "10.1.0.5"}]
)
bound = conn.network.update_port(port, binding_host_id="compute-1")
result = {
    "network": [found.name for found in conn.network.networks(name="blue")],
    "subnet": conn.network.find_subnet("blue-sub").cidr,
    "ports": [(found.name, found.status) for found in conn.network.ports(network_id=network.id)],
    "bound": [bound.binding_host_id, bound.binding_vif_type],
    "agents": [(agent.agent_type, agent.host, agent.is_alive) for agent in conn.network.agents()],
    "paged": sorted(found.id for found in conn.network.ports(limit=1)) == sorted(p.id for p in conn.network.ports()),
}
conn.network.delete_port(port)
result["port_after"] = conn.network.find_port(port.id)
conn.network.delete_network(network)
result["networks_after"] = [found.name for found in conn.network.networks(name="blue")]
show(result)
