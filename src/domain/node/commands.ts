import { z } from 'zod';
import type { CommandOf } from '../kernel/commands.ts';
import { origin } from '../kernel/observation.ts';
import { Timestamp, Uuid } from '../kernel/resource.ts';
import { Bag, faults, Holder, Markers, nodeAttributes, PowerState, SeenState } from './events.ts';
import { type ReportEvent, reportEvents } from './work-reports.ts';

const token = z.int().positive();
const attempt = z.int().positive();
/** How long a lock is lent, and how long a node may be silent. */
const milliseconds = z.int().positive().max(31_536_000_000);

/** Arguments of a step are for its worker. They may hold secrets and are not kept. */
const Step = z.strictObject({
  interface: z.string().min(1).max(64),
  step: z.string().min(1).max(255),
  args: Bag.optional(),
  priority: z.int().nonnegative().optional(),
});
const Steps = z.array(Step).max(1000);

const ReportedStep = z.strictObject({
  kind: z.string().max(64).optional(),
  interface: z.string().max(64).nullish(),
  name: z.string().min(1).max(255),
  priority: z.int().nonnegative().optional(),
  abortable: z.boolean().optional(),
});

/** Fields that say something only with certain events. Elsewhere they would be lost, so they are refused. */
const fieldsOfEvents: Readonly<Record<string, readonly ReportEvent[]>> = {
  error: ['fail', 'error'],
  during: ['error'],
  step: ['step'],
  progress: ['step'],
  timeoutMs: ['wait'],
  leaseMs: ['resume', 'step'],
};

function refuseStrayFields(report: { event: ReportEvent; [field: string]: unknown }, context: z.RefinementCtx): void {
  for (const [field, events] of Object.entries(fieldsOfEvents)) {
    if (report[field] === undefined || events.includes(report.event)) continue;
    const message = `${field} comes with ${events.join(' or ')}, not with ${report.event}`;
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

export const nodeCommands = {
  /** Begins the node's life in `enroll`; clients from before that state was known begin in `available`. */
  EnrollNode: z.strictObject({
    name: nodeAttributes.name.default(null),
    driver: nodeAttributes.driver.default('fake-hardware'),
    conductor: nodeAttributes.conductor.default(null),
    interfaces: nodeAttributes.interfaces.default({}),
    driverInfo: nodeAttributes.driverInfo.default({}),
    instanceInfo: nodeAttributes.instanceInfo.default({}),
    properties: nodeAttributes.properties.default({}),
    extra: nodeAttributes.extra.default({}),
    resourceClass: nodeAttributes.resourceClass.default(null),
    owner: nodeAttributes.owner.default(null),
    lessee: nodeAttributes.lessee.default(null),
    description: nodeAttributes.description.default(null),
    protected: nodeAttributes.protected.default(false),
    protectedReason: nodeAttributes.protectedReason.default(null),
    retired: nodeAttributes.retired.default(false),
    retiredReason: nodeAttributes.retiredReason.default(null),
    automatedClean: nodeAttributes.automatedClean.default(null),
    disablePowerOff: nodeAttributes.disablePowerOff.default(false),
    provisionState: z.enum(['enroll', 'available']).default('enroll'),
  }),

  /** Asks for a verb, such as `manage` or `active`. A verb that takes a worker locks the node for `holder`. */
  SetProvisionState: z.strictObject({
    target: z.string().min(1).max(64),
    configdrive: z.union([z.string(), Bag]).optional(),
    deploySteps: Steps.optional(),
    cleanSteps: Steps.optional(),
    serviceSteps: Steps.optional(),
    rescuePassword: z.string().optional(),
    holder: Holder.optional(),
    leaseMs: milliseconds.optional(),
  }),

  /** A worker, or the node's ramdisk, says what has happened: see docs/nodes.md for who may say what. */
  ReportProvisionEvent: z
    .strictObject({
      event: z.enum(reportEvents),
      holder: Holder.optional(),
      token: token.optional(),
      attempt: attempt.optional(),
      error: z.string().min(1).optional(),
      /** What went wrong beside the work, such as the attaching of an interface. */
      during: z.string().min(1).max(255).optional(),
      step: ReportedStep.optional(),
      progress: z.number().min(0).max(100).optional(),
      markers: Markers.optional(),
      powerState: PowerState.optional(),
      /** How long the node may be silent in the wait that begins. */
      timeoutMs: milliseconds.optional(),
      leaseMs: milliseconds.optional(),
    })
    .superRefine(refuseStrayFields),

  /** A sign of life of the node's ramdisk. */
  Heartbeat: z.strictObject({ holder: Holder.optional(), token: token.optional(), attempt: attempt.optional() }),

  /** Takes the lock, for `leaseMs` or until it is released. The holder may repeat it to have more time. */
  ReserveNode: z.strictObject({
    holder: Holder.optional(),
    purpose: z.string().min(1).max(255).default('unspecified'),
    leaseMs: milliseconds.optional(),
  }),
  ReleaseNode: z.strictObject({ holder: Holder.optional(), token: token.optional() }),
  /** Takes the lock away from its holder, and gives up what it was held for. With `token`, that lock alone. */
  BreakReservation: z.strictObject({ reason: z.string().min(1).max(1000), token: token.optional() }),

  /** Takes the node out of service: for the operator who asks, or for a `fault` that was found. */
  SetMaintenance: z.strictObject({
    reason: z.string().nullish(),
    fault: z.enum(faults).optional(),
    token: token.optional(),
  }),
  /** Ends maintenance; or one `fault` alone, or, with null, what an operator set alone. */
  ClearMaintenance: z.strictObject({ fault: z.enum(faults).nullish(), token: token.optional() }),

  SetPowerState: z.strictObject({
    target: z.string().min(1).max(64),
    timeoutMs: milliseconds.optional(),
    holder: Holder.optional(),
  }),
  /** What a power sync saw, or why it has given up asking. */
  ReportPowerState: z
    .strictObject({ powerState: PowerState.optional(), error: z.string().min(1).optional() })
    .refine(({ powerState, error }) => (powerState === undefined) !== (error === undefined), {
      message: 'give either powerState or error',
    }),

  /** Changes attributes; those left out stay as they are. */
  UpdateNode: z.strictObject({
    ...z.object(nodeAttributes).partial().shape,
    instanceId: Uuid.nullable().optional(),
    token: token.optional(),
  }),
  DeleteNode: z.strictObject({}),

  /** What an outside system says the node is. Accepted in every state. What is left out is not known, and stays. */
  ObserveNode: z.strictObject({
    ...origin,
    provisionState: SeenState,
    targetProvisionState: SeenState.nullable().optional(),
    powerState: PowerState.nullable().optional(),
    lastError: z.string().nullable().optional(),
    maintenance: z
      .strictObject({ reason: z.string().nullable().default(null), fault: z.enum(faults).nullable().default(null) })
      .nullable()
      .optional(),
    instanceId: Uuid.nullable().optional(),
    ...z.object(nodeAttributes).partial().shape,
    deleted: z.boolean().default(false),
  }),

  /**
   * The conductor is lost, and `by` goes on, or nobody yet; or it was started anew (`by` itself). With `lostAt`, what it
   * has begun since is left alone, so that the command may come late and twice.
   */
  TakeOverConductor: z.strictObject({ conductor: Holder, by: Holder.optional(), lostAt: Timestamp.optional() }),

  /** The ledger's own clock: a wait has lasted long enough. */
  DeadlinePassed: z.strictObject({ name: z.string(), attempt: z.int().optional(), token: token.optional() }),
};

export type NodeCommands = typeof nodeCommands;
export type NodeCommand = CommandOf<NodeCommands>;
