import type { z } from 'zod';
import type { Lifetime } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { DataOf, Evidence, FixedIp, PortStatus } from './events.ts';
import { type BoundSegment, unplugged, type VnicType } from './vif.ts';

export interface Port extends Lifetime {
  name: string;
  projectId: string;
  networkId: string | null;
  macAddress: string;
  fixedIps: z.infer<typeof FixedIp>[];
  deviceId: string;
  deviceOwner: string;
  adminStateUp: boolean;
  status: PortStatus;
  /** Who must still report. */
  blocks: Block[];
  round: ProvisioningRound;
  /** Neutron's ACTIVE binding. A port that is nowhere has one as well: `host` null, `vifType` unbound. */
  binding: Binding;
  /** Bindings on other hosts, INACTIVE: prepared for a migration, or left by one. */
  otherBindings: OtherBinding[];
  /** The number given to the latest binding. */
  lastGeneration: number;
  /** Hosts that have wired the port before it was bound to any. */
  earlyReports: { host: string; at: string; eventId: string }[];
  /** Reports about this binding from hosts that have no say in it. */
  ignoredReports: IgnoredReport[];
  /** The host it was unbound from, while it is nowhere: reports from there are late, not early. */
  formerHost: string | null;
  /** The newest word of an outside system, and the last that came too late to count. */
  observation: Observation | null;
  lateObservation: Observation | null;
  /** What Nova refused to be told, until there is something newer to tell or it is told again. */
  refusedNotification?: DataOf<'NotificationRefused'> & { at: string };
}

/** What an outside system said the port is. */
export type Observation = DataOf<'PortObserved'> & { at: string };

/** A provisioning block: one entity the port waits for. */
export interface Block {
  entity: string;
  /** Only this host's report lifts it. */
  host?: string;
  since: string;
  reason: string;
  /** The event that added it. */
  eventId: string;
}

/**
 * From one moment at which the port begins to need wiring to the moment it is wired. A port that was provisioned and is
 * blocked again begins the next round; what was completed in an earlier one counts no more, except where the port was
 * ACTIVE: then the others' work still stands.
 */
export interface ProvisioningRound {
  number: number;
  since: string;
  /** Who has reported in this round, oldest first, and does not block it again. */
  completed: Completion[];
  provisioned: Completion | null;
}

export interface Completion {
  entity: string;
  at: string;
  eventId: string;
}

export interface Binding {
  host: string | null;
  vnicType: VnicType;
  profile: JsonObject;
  vifType: string;
  vifDetails: JsonObject;
  /** The mechanism driver that attached it: the one of the last level. */
  driver: string | null;
  segments: BoundSegment[];
  /** Counts up with each binding the port is given, so that what is said of an earlier one is told apart. */
  generation: number;
  since: string;
  /** What the host said last. `down` also from the moment it must wire the port anew. */
  device: 'unreported' | 'up' | 'down';
  /** Why it is binding_failed. */
  failure: (Evidence & { since: string }) | null;
}

export interface OtherBinding extends Binding {
  host: string;
  /** What it was prepared for, and whether that has ended. */
  migration: { id: string; endedAt: string | null; outcome: DataOf<'MigrationEnded'>['outcome'] | null } | null;
}

export interface IgnoredReport {
  report: DataOf<'ReportIgnored'>['report'];
  host: string;
  entity?: string;
  at: string;
}

export const isBound = ({ host, vifType }: Binding): boolean => host !== null && !unplugged.includes(vifType);

export const isFailed = ({ vifType }: Binding): boolean => vifType === 'binding_failed';

export const otherBindingOn = ({ otherBindings }: Port, host: string | null): OtherBinding | undefined =>
  otherBindings.find((binding) => binding.host === host);

/** A copy of everything that folding changes in place. */
export const copyOf = (port: Port): Port => ({
  ...port,
  blocks: [...port.blocks],
  round: { ...port.round, completed: [...port.round.completed] },
  binding: { ...port.binding },
  otherBindings: port.otherBindings.map((binding) => ({ ...binding })),
  earlyReports: [...port.earlyReports],
  ignoredReports: [...port.ignoredReports],
});
