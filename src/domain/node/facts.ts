import type { Facts } from '../kernel/aggregate.ts';

/** How long a node may be silent in a waiting state before it is given up; 0: for ever. */
export interface CallBackTimeouts {
  readonly deployCallBackTimeoutMs: number;
  readonly cleanCallBackTimeoutMs: number;
  readonly rescueCallBackTimeoutMs: number;
  readonly serviceCallBackTimeoutMs: number;
  /** How long an inspection may take altogether; 0: for ever. */
  readonly inspectTimeoutMs: number;
}

/** What a site decides about its nodes. */
export interface NodeSettings extends CallBackTimeouts {
  /** Nodes that may be deployed, or cleaned, at the same time. */
  readonly maxConcurrentDeploy: number;
  readonly maxConcurrentClean: number;
  /** Nodes that one conductor may work on at the same time. */
  readonly workersPerConductor: number;
  /** Whether `provide` and call-backs work on a node in maintenance. */
  readonly allowProvisioningInMaintenance: boolean;
  readonly allowDeletingAvailableNodes: boolean;
  /** Drivers whose inspection cannot be interrupted. */
  readonly driversWithoutInspectAbort: readonly string[];
}

const halfAnHourMs = 1_800_000;

export const defaultNodeSettings: NodeSettings = {
  deployCallBackTimeoutMs: halfAnHourMs,
  cleanCallBackTimeoutMs: halfAnHourMs,
  rescueCallBackTimeoutMs: halfAnHourMs,
  serviceCallBackTimeoutMs: halfAnHourMs,
  inspectTimeoutMs: halfAnHourMs,
  maxConcurrentDeploy: 250,
  maxConcurrentClean: 50,
  workersPerConductor: 300,
  allowProvisioningInMaintenance: true,
  allowDeletingAvailableNodes: true,
  driversWithoutInspectAbort: [],
};

/** What decisions on nodes may know besides the state. What is left out is taken not to stand in the way. */
export interface NodeFacts extends Facts {
  readonly settings?: Partial<NodeSettings>;
}

export const settingsOf = ({ settings }: Pick<NodeFacts, 'settings'>): NodeSettings => ({
  ...defaultNodeSettings,
  ...settings,
});
