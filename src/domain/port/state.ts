import type { z } from 'zod';
import type { Lifetime } from '../kernel/aggregate.ts';
import type { FixedIp, PortStatus } from './events.ts';

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
}

/** A provisioning block: one entity the port waits for. */
export interface Block {
  entity: string;
  host?: string;
  since: string;
  reason: string;
  /** The event that added it. */
  eventId: string;
}

/**
 * From one moment at which the port begins to need wiring to the moment it is wired. A port that was provisioned and is
 * blocked again begins the next round; what was completed in an earlier one counts no more.
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
