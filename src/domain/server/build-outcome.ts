import { toCondition, toHost } from './changes.ts';
import type { ServerEvent } from './events.ts';
import { deadlineAfter, type ServerFacts, settingsOf } from './facts.ts';
import { type Failure, type Fault, faultOf, kindOf } from './faults.ts';
import type { Attempt, Server } from './state.ts';
import { type PowerState, power } from './states.ts';

/** What a failure of a build leads to. */
type Course =
  | 'wait-for-room' // nobody had room, and nobody was tried: PENDING where that is in use
  | 'try-next-host' // another host may do better
  | 'give-up' // ERROR; what was on the host is gone
  | 'give-up-in-place'; // ERROR; what is on the host stays there

const everyOf = (course: Course, ...kinds: string[]): Record<string, Course> =>
  Object.fromEntries(kinds.map((kind) => [kind, course]));

/**
 * By exact kind. `MaxRetriesExceeded` is a `NoValidHost` to Nova, but a server that was tried on hosts is not one that
 * waits for capacity. Failures of the network, of images, flavors and volumes would be the same on every host.
 */
const courses: Readonly<Record<string, Course>> = {
  ...everyOf('wait-for-room', 'NoValidHost'),
  ...everyOf('try-next-host', 'RescheduledException', 'ComputeResourcesUnavailable', 'GroupAffinityViolation'),
  ...everyOf('give-up', 'MaxRetriesExceeded', 'HostMappingNotFound', 'BuildAbortException'),
  ...everyOf('give-up', 'TooManyInstances', 'QuotaError', 'OverQuota', 'ResourceProviderAllocationRetrievalFailed'),
  ...everyOf('give-up', 'AcceleratorRequestBindingFailed', 'AcceleratorRequestOpFailed'),
  ...everyOf('give-up', 'VirtualInterfaceCreateException', 'VirtualInterfaceMacAddressException'),
  ...everyOf('give-up', 'NoMoreNetworks', 'NoMoreFixedIps', 'FixedIpLimitExceeded'),
  ...everyOf('give-up', 'ImageNotFound', 'ImageNotActive', 'ImageUnacceptable', 'InvalidDiskInfo', 'InvalidDiskFormat'),
  ...everyOf('give-up', 'FlavorDiskTooSmall', 'FlavorMemoryTooSmall', 'FlavorNotFound', 'SignatureVerificationError'),
  ...everyOf(
    'give-up',
    'InvalidBDM',
    'VolumeEncryptionNotSupported',
    'VolumeNotCreated',
    'CertificateValidationFailed',
  ),
  ...everyOf('give-up-in-place', 'ComputeRestarted', 'BuildTimeout'),
};

/** A host that fails for a reason of its own says nothing about the next; a scheduler that fails has no next. */
function courseFor(kind: string, server: Server): Course {
  const running = runningAttempt(server);
  const course = courses[kind] ?? (running ? 'try-next-host' : 'give-up');
  if (course === 'wait-for-room' && server.build!.tried > 0) return 'give-up';
  if (course === 'try-next-host' && !running) return 'give-up';
  return course;
}

export const runningAttempt = ({ build, attempts }: Server): Attempt | undefined =>
  build?.attempt == null ? undefined : attempts.find(({ number }) => number === build.attempt);

export const nextAttempt = ({ attempts }: Server): number => (attempts.at(-1)?.number ?? 0) + 1;

export function finishBuild(server: Server, powerState: PowerState | null, cause: string): ServerEvent[] {
  const active = { vmState: 'active', taskState: null, powerState: powerState ?? power.running } as const;
  return [
    ...attemptEnded(server, 'succeeded'),
    ...toCondition(server, active, { cause }),
    { type: 'ServerLaunched', data: { host: server.host } },
  ];
}

export function failBuild(server: Server, failure: Failure, facts: ServerFacts, cause: string): ServerEvent[] {
  const fault = faultOf(failure, facts.time);
  return outcomes[courseFor(kindOf(failure.reason), server)](server, fault, facts, cause);
}

type Outcome = (server: Server, fault: Fault, facts: ServerFacts, cause: string) => ServerEvent[];

const giveUp: Outcome = (server, fault, _facts, cause) => [
  ...attemptEnded(server, 'failed', fault),
  ...toHost(server, null),
  ...toCondition(server, { vmState: 'error', taskState: null }, { cause, reason: fault.kind, fault }),
];

const outcomes: Readonly<Record<Course, Outcome>> = {
  'give-up': giveUp,

  'give-up-in-place': (server, fault, _facts, cause) => [
    ...attemptEnded(server, 'failed', fault),
    ...toCondition(server, { vmState: 'error', taskState: null }, { cause, reason: fault.kind, fault }),
  ],

  'wait-for-room': (server, fault, facts, cause) => {
    const { usePendingState, pendingTimeoutMs } = settingsOf(facts);
    if (!usePendingState) return giveUp(server, fault, facts, cause);

    const deadline = deadlineAfter(pendingTimeoutMs, facts);
    const attempt = server.timesPending + 1;
    return [
      ...attemptEnded(server, 'failed', fault),
      ...toCondition(server, { vmState: 'pending', taskState: null }, { cause, reason: fault.kind, fault }),
      { type: 'PendingStarted', data: { reason: fault.kind, attempt, deadline } },
    ];
  },

  'try-next-host': (server, fault, facts, cause) => {
    const exhausted = exhaustion(server, fault, facts);
    const ended = attemptEnded(server, 'failed', fault);
    const left = toHost(server, null);
    if (exhausted) {
      const failed = { vmState: 'error', taskState: null } as const;
      const about = { cause, reason: exhausted.kind, fault: exhausted };
      return [...ended, ...left, ...toCondition(server, failed, about)];
    }
    return [...ended, ...left, ...toCondition(server, { taskState: 'scheduling' }, { cause, reason: fault.kind })];
  },
};

/** Why no further host is tried. One that was tried alone is not retried, so its own failure is the reason. */
function exhaustion({ id, build }: Server, fault: Fault, { time }: ServerFacts): Fault | null {
  const { tried, maxAttempts, alternates } = build!;
  if (maxAttempts === 1) return fault;

  const all = `Exhausted all hosts available for retrying build failures for instance ${id}.`;
  const many = `Exceeded max scheduling attempts ${maxAttempts} for instance ${id}. Last exception: ${fault.message}`;
  const why = tried >= maxAttempts ? many : alternates?.length === 0 ? all : null;
  if (why === null) return null;
  return faultOf({ reason: 'MaxRetriesExceeded', message: `Exceeded maximum number of retries. ${why}` }, time);
}

/** The attempt that runs is over; where none does, the search for a host was the attempt. */
export function attemptEnded(
  server: Server,
  outcome: 'succeeded' | 'failed' | 'abandoned',
  fault?: Fault,
): ServerEvent[] {
  const { number, host } = runningAttempt(server) ?? { number: nextAttempt(server), host: null };
  const about = fault && { reason: fault.kind, fault };
  return [{ type: 'BuildAttemptEnded', data: { number, host, outcome, ...about } }];
}
