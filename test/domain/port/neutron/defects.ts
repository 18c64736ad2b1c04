import { isKnown } from './translation.ts';
import type { PortState, Step } from './vectors.ts';

/**
 * Steps that show a defect of the original, after which its port and ours have different stories. A scenario is compared
 * up to there. What happens here instead is told in the files named, and why in docs/decisions.
 */
export const defects: readonly { scenario?: RegExp; shownBy: (step: Step) => boolean; reason: string }[] = [
  {
    shownBy: (step) => !isKnown(step),
    reason: 'the operation has no counterpart here',
  },
  {
    shownBy: ({ op, expect: { error } }) => op === 'create_port' && error?.type === 'HTTPInternalServerError',
    reason: 'a whole network card without a profile leaves half a port behind (drivers.test.ts)',
  },
  {
    shownBy: ({ failPrecommit }) => failPrecommit === true,
    reason:
      'the server is told of a change that is then not made, and a block is lost with it: here that is one append',
  },
  {
    shownBy: ({ expect: { state } }) => state !== null && !state.bindings.some((one) => one.bindingStatus === 'ACTIVE'),
    reason: 'the ACTIVE binding is removed, and the port is in limbo (migration.test.ts)',
  },
  {
    shownBy: ({ op }) => op === 'delete_agent',
    reason: 'a port waits for an agent that was deleted (awaited.test.ts)',
  },
  {
    shownBy: ({ op, args, expect: { result, state } }) =>
      op === 'report_state' && isFailed(state) && (result?.agentStatus === 'new' || args?.type !== 'ovs'),
    reason:
      'only an Open vSwitch agent that was lost gets its failed ports back: here any, also a new one (awaited.test.ts)',
  },
  {
    shownBy: ({ op, expect: { state } }) => op === 'get_devices_details_list_and_failed_devices' && isFailed(state),
    reason: 'the bulk call forgets to ask whether the port is bound (reports.test.ts)',
  },
  {
    shownBy: ({ op, concurrently }) =>
      op === 'create_port' && [concurrently].flat().some((one) => one?.do === 'other_worker_binds'),
    reason: 'somebody binds the port between its creation and its binding: here that is one append',
  },
  {
    scenario: /migrating_to/,
    shownBy: ({ op }) => op === 'dhcp_ready',
    reason: 'the server is not told that the port is ACTIVE where DHCP was the last to report (port-to-server.test.ts)',
  },
  {
    scenario: /^conc\/failing-driver/,
    shownBy: ({ concurrently }) => concurrently !== undefined,
    reason: 'a change during a failing attempt leaves the port unbound: here there is one attempt (races.test.ts)',
  },
  {
    shownBy: ({ concurrently }) => [concurrently].flat().some((one) => one?.onAttempt === 'every'),
    reason: 'the port stays unbound, and the caller is told that all is well: here it is refused (races.test.ts)',
  },
  {
    shownBy: ({ concurrentlyBeforeCommit }) => concurrentlyBeforeCommit !== undefined,
    reason: 'activation is two transactions, of which the second may fail: here it is one append (races.test.ts)',
  },
];

const isFailed = (state: PortState | null): boolean =>
  state?.bindings.some(({ vifType }) => vifType === 'binding_failed') ?? false;
