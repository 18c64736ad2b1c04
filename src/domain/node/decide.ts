import type { Decide } from '../kernel/aggregate.ts';
import { updateNode } from './attributes.ts';
import type { NodeCommands } from './commands.ts';
import { deadlinePassed, heartbeat } from './deadlines.ts';
import type { NodeEvent } from './events.ts';
import type { NodeFacts } from './facts.ts';
import { deleteNode, enrollNode } from './lifecycle.ts';
import { clearMaintenance, setMaintenance } from './maintenance.ts';
import { observeNode } from './observe.ts';
import { reportPowerState, setPowerState } from './power.ts';
import { reportProvisionEvent } from './reports.ts';
import { breakReservation, releaseNode, reserveNode } from './reservation.ts';
import { setProvisionState } from './set-provision-state.ts';
import type { Node } from './state.ts';
import { takeOverConductor } from './take-over.ts';

type Opening = 'EnrollNode' | 'DeleteNode' | 'ObserveNode';

export const open: Decide<Node | null, Pick<NodeCommands, Opening>, NodeEvent, NodeFacts> = {
  EnrollNode: enrollNode,
  DeleteNode: (node, _data, facts) => deleteNode(node, facts),
  ObserveNode: observeNode,
};

export const decide: Decide<Node, Omit<NodeCommands, Opening>, NodeEvent, NodeFacts> = {
  SetProvisionState: setProvisionState,
  ReportProvisionEvent: reportProvisionEvent,
  Heartbeat: heartbeat,
  ReserveNode: reserveNode,
  ReleaseNode: releaseNode,
  BreakReservation: breakReservation,
  SetMaintenance: setMaintenance,
  ClearMaintenance: clearMaintenance,
  SetPowerState: setPowerState,
  ReportPowerState: reportPowerState,
  UpdateNode: updateNode,
  TakeOverConductor: takeOverConductor,
  DeadlinePassed: deadlinePassed,
};
