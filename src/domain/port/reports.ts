import type { Decide } from '../kernel/aggregate.ts';
import type { PortCommands } from './commands.ts';
import { type DataOf, dhcp, l2, type PortEvent } from './events.ts';
import { blockOf, complete, hasSay } from './provisioning.ts';
import { bindIfNeeded } from './rebinding.ts';
import { isBound, otherBindingOn, type Port } from './state.ts';
import { type PortFacts, surroundingsOf } from './surroundings.ts';
import { Unfolding } from './unfolding.ts';

type Reports =
  | 'ProvisioningComplete'
  | 'RequestDeviceDetails'
  | 'ReportDeviceUp'
  | 'ReportDeviceDown'
  | 'ReportDhcpReady';

/**
 * What agents say. They speak late, twice, early, and about ports that have moved on: the word of a host counts for the
 * binding on that host, and is kept where there will be one. All others are noted once and change nothing.
 */
export const reportRules: Decide<Port, Pick<PortCommands, Reports>, PortEvent, PortFacts> = {
  ProvisioningComplete(port, { entity, host }, { time }) {
    if (!hasSay(port, entity, host)) return ignored(port, { report: 'complete', entity, host: host! });
    const it = new Unfolding(port, time);
    complete(it, entity, host);
    return it.events;
  },

  /** A port that the host does not have bound is bound first. What was wired before must then be reported anew. */
  RequestDeviceDetails(port, { host }, facts) {
    const asking = host ?? trusted(port);
    if (asking === null || otherBindingOn(port, asking)) return [];
    if (asking !== port.binding.host) return ignored(port, { report: 'device-details', host: asking });

    const it = new Unfolding(port, facts.time);
    bindIfNeeded(it, surroundingsOf(port, facts), 'agent-asked');
    const status = port.adminStateUp ? 'BUILD' : 'DOWN';
    if (isBound(it.port.binding) && it.port.status !== status) {
      it.add({ type: 'DeviceDetailsRequested', data: { host: asking } });
      it.setStatus(status, 'wiring-requested');
    }
    return it.events;
  },

  ReportDeviceUp(port, { host }, { time }) {
    if (host === undefined || host === port.binding.host) {
      const it = new Unfolding(port, time);
      complete(it, l2, host);
      return it.events;
    }
    const other = otherBindingOn(port, host);
    if (other?.device === 'up' || reportedEarly(port, host)) return [];
    if (other) return [{ type: 'DeviceUpReported', data: { host, generation: other.generation } }];
    if (mayBeEarly(port, host)) return [{ type: 'DeviceUpReported', data: { host } }];
    return ignored(port, { report: 'device-up', host });
  },

  ReportDeviceDown(port, { host }, { time }) {
    const { binding } = port;
    if (binding.host !== null && (host === undefined || host === binding.host)) {
      if (binding.device === 'down' && port.status === 'DOWN') return [];
      const it = new Unfolding(port, time);
      it.add({ type: 'DeviceDownReported', data: { ...(host !== undefined && { host }) } });
      it.setStatus('DOWN', 'device-down');
      return it.events;
    }
    if (host === undefined) return [];
    const other = otherBindingOn(port, host);
    if (other?.device === 'up' || reportedEarly(port, host)) return [{ type: 'DeviceDownReported', data: { host } }];
    if (other || binding.host === null) return []; // there is nothing to take back
    return ignored(port, { report: 'device-down', host });
  },

  /** DHCP agents repeat themselves for every port they know. One that nobody waits for says nothing. */
  ReportDhcpReady(port, { host }, { time }) {
    if (!blockOf(port, dhcp)) return [];
    const it = new Unfolding(port, time);
    complete(it, dhcp, host);
    return it.events;
  },
};

const reportedEarly = (port: Port, host: string): boolean => port.earlyReports.some((report) => report.host === host);

/** Hosts whose reports about a port are kept, early or ignored: enough to tell the story, too few to fill the ledger. */
const mostKept = 16;

/** A port that is nowhere may come to this host; the one it has just left reports late. */
const mayBeEarly = ({ binding, formerHost, earlyReports }: Port, host: string): boolean =>
  binding.host === null && host !== formerHost && earlyReports.length < mostKept;

/** An agent that does not name its host is the bound one's; of a guest's port Neutron does not take that for granted. */
const trusted = ({ deviceOwner, binding }: Port): string | null =>
  deviceOwner.startsWith('compute:') ? null : binding.host;

/** A report from a host that has no say: noted once for each binding, so that a repeat leaves no further trace. */
function ignored(port: Port, given: Omit<DataOf<'ReportIgnored'>, 'reason'>): PortEvent[] {
  const { report, host, entity } = given;
  const known = port.ignoredReports.some(
    (earlier) => earlier.report === report && earlier.host === host && earlier.entity === entity,
  );
  if (known || port.ignoredReports.length >= mostKept) return [];
  const { host: bound } = port.binding;
  const where = bound === null ? 'bound to no host' : `bound to ${bound}`;
  return [{ type: 'ReportIgnored', data: { ...given, reason: `the port is ${where}, not to ${host}` } }];
}
