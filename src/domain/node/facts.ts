import type { Facts } from '../kernel/aggregate.ts';
import type { Activity } from './provision-machine.ts';

/** What a site decides about its nodes. */
export interface NodeSettings {
  /** How long a node may be silent in a waiting state before it is given up, by what is being done; 0: for ever. */
  readonly callBackTimeoutMs: Readonly<Partial<Record<Activity, number>>>;
  /** Nodes that may be deployed, or cleaned, at the same time. */
  readonly maxConcurrentDeploy: number;
  readonly maxConcurrentClean: number;
  /** Whether `provide` and call-backs work on a node in maintenance. */
  readonly allowProvisioningInMaintenance: boolean;
  readonly allowDeletingAvailableNodes: boolean;
  /** Drivers whose inspection cannot be interrupted. */
  readonly driversWithoutInspectAbort: readonly string[];
}

const halfAnHourMs = 1_800_000;

export const defaultNodeSettings: NodeSettings = {
  callBackTimeoutMs: {
    deploy: halfAnHourMs,
    clean: halfAnHourMs,
    inspect: halfAnHourMs,
    rescue: halfAnHourMs,
    service: halfAnHourMs,
  },
  maxConcurrentDeploy: 250,
  maxConcurrentClean: 50,
  allowProvisioningInMaintenance: true,
  allowDeletingAvailableNodes: true,
  driversWithoutInspectAbort: [],
};

/** What decisions on nodes may know besides the state. What is left out is taken not to stand in the way. */
export interface NodeFacts extends Facts {
  readonly settings?: Partial<NodeSettings>;
  /** How many nodes are being deployed, and cleaned, at the moment. */
  readonly underWay?: { readonly deploy: number; readonly clean: number };
  /** Whether a worker is free to take the work on. */
  readonly workerFree?: boolean;
  /** The other node that has the instance which the command names. */
  readonly nodeOfInstance?: string | null;
}

export const settingsOf = ({ settings }: NodeFacts): NodeSettings => ({ ...defaultNodeSettings, ...settings });
