import type { Lifetime } from '../kernel/aggregate.ts';
import type { JsonObject } from '../kernel/json.ts';

export interface Agent extends Lifetime {
  host: string;
  type: string;
  /** Not lost, as far as the history tells. Whether it is heard right now, `isAgentAlive` says. */
  alive: boolean;
  adminStateUp: boolean;
  /** The last sign of life that led to an event, or that the event of its loss names. Later ones are kept in memory. */
  lastHeartbeatAt: string;
  /** Since when it is alive, or lost. */
  since: string;
  configurations: JsonObject;
}
