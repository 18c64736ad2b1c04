import type { JsonObject } from '../../kernel/json.ts';
import type { BoundSegment, VnicType } from '../vif.ts';

/** A way to attach ports. Which ones a site uses, and in which order they are asked, is its setting. */
export interface MechanismDriver {
  readonly name: string;
  /** The interfaces it can attach. */
  readonly vnicTypes: readonly VnicType[];
  /** `l3`: it routes to the port's addresses, so it needs some. */
  readonly connectivity: 'l2' | 'l3';
  /** The agent that does the work on the host and reports it; null where no agent does. */
  readonly agentType: string | null;
  /**
   * Who says that a port is wired: the agent, if one is registered on the host; a back end that is always there; or
   * nobody, so that a port does not wait for it.
   */
  readonly reporter: 'agent' | 'back-end' | 'nobody';
  /** It also binds ports of networks that have no segments. */
  readonly withoutSegments?: true;
  /** Says what it would do. Pure: the same request always gets the same answer. Throwing is refusing. */
  bind(request: BindRequest): Verdict;
}

export interface BindRequest {
  readonly portId: string;
  readonly host: string;
  readonly vnicType: VnicType;
  readonly profile: JsonObject;
  /** Those on offer, in order. Empty only for a driver that binds without. */
  readonly segments: readonly OfferedSegment[];
  /** The driver's agent on the host, if one is registered there. */
  readonly agent: AgentOnHost | null;
}

export type OfferedSegment = Omit<BoundSegment, 'level' | 'driver'>;

/** An agent as a binding sees it. */
export interface AgentOnHost {
  readonly type: string;
  readonly alive: boolean;
  readonly adminStateUp: boolean;
  readonly silentSince: string;
  readonly configurations: JsonObject;
}

export type Verdict =
  | {
      readonly verdict: 'bound';
      /** Null where there was none on offer. */
      readonly segment: OfferedSegment | null;
      readonly vifType: string;
      readonly vifDetails: JsonObject;
      /** The status the port has by the binding alone. ACTIVE: the driver answers for it, no agent will report. */
      readonly status?: 'ACTIVE' | 'BUILD' | 'DOWN' | 'ERROR';
    }
  /** Hierarchical binding: this driver carries the port up to here, another one must carry it on. */
  | { readonly verdict: 'continue'; readonly segment: OfferedSegment; readonly next: readonly OfferedSegment[] }
  | { readonly verdict: 'refused'; readonly code: RefusedBecause; readonly reason: string };

export const refusedBecause = [
  'vnic-type',
  'no-agent',
  'agent-dead',
  'no-segment',
  'no-address',
  'bound-above',
  'error',
  'not-mine',
] as const;
export type RefusedBecause = (typeof refusedBecause)[number];

export const refused = (code: RefusedBecause, reason: string): Verdict => ({ verdict: 'refused', code, reason });
