import type { Decide } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import { admit, claimPending, rebuildPending } from './admission.ts';
import { buildStarted } from './build.ts';
import { toCondition } from './changes.ts';
import type { DataFor, ServerCommands } from './commands.ts';
import type { ServerEvent } from './events.ts';
import { deadlineAfter, type ServerFacts, settingsOf } from './facts.ts';
import { faultOf } from './faults.ts';
import { start } from './performing.ts';
import { refuse } from './refusals.ts';
import type { Lease, Server } from './state.ts';

/** Whoever makes room: named in the command, or the caller. */
const holderOf = ({ holder }: { holder?: string | undefined }, { actor }: ServerFacts): string => holder ?? actor.id;

/** The claim that holds at this moment, whether or not the clock has been told of its end. */
const liveLease = ({ pending }: Server, { time }: ServerFacts): Lease | null =>
  pending?.lease && pending.lease.expiresAt > time ? pending.lease : null;

function refuseOthers(server: Server, holder: string, facts: ServerFacts): void {
  const lease = liveLease(server, facts);
  if (!lease || lease.holder === holder) return;
  refuse('pending-server-claimed', `${lease.holder} makes room for this server until ${lease.expiresAt}.`, {
    holder: lease.holder,
    expiresAt: lease.expiresAt,
    retryable: true,
  });
}

const claimed = (holder: string, facts: ServerFacts): ServerEvent => ({
  type: 'PendingServerClaimed',
  data: { holder, expiresAt: deadlineAfter(Math.max(1, settingsOf(facts).pendingClaimMs), facts)! },
});

const claimEnded = ({ holder }: Lease, reason: 'released' | 'expired'): ServerEvent => ({
  type: 'PendingClaimEnded',
  data: { holder, reason },
});

/** A PENDING server is built as if for the first time, in the same stream: nothing of what was is lost. */
function buildAgain(server: Server, data: DataFor<'RebuildServer'>, facts: ServerFacts): ServerEvent[] {
  const cause = 'RebuildServer';
  admit(server, rebuildPending, facts);
  refuseOthers(server, holderOf(data, facts), facts);
  return [
    ...toImage(server, data.imageRef),
    buildStarted(server.timesPending + 1, server.forcedHost, facts),
    ...toCondition(server, { vmState: 'building', taskState: 'scheduling' }, { cause }),
  ];
}

const toImage = (server: Server, imageRef: string | undefined): ServerEvent[] =>
  imageRef === undefined || imageRef === server.imageRef
    ? []
    : [{ type: 'ServerUpdated', data: { changes: { imageRef } } }];

/** Whether a host is sought again already, and nothing else was asked for. */
const isBuiltAgain = ({ build, imageRef }: Server, data: DataFor<'RebuildServer'>): boolean =>
  build !== null && build.round > 1 && build.tried === 0 && (data.imageRef === undefined || data.imageRef === imageRef);

type Subject = 'RebuildServer' | 'ClaimPendingServer' | 'RenewPendingClaim' | 'ReleasePendingClaim';

export const pendingDecisions: Decide<Server, Pick<ServerCommands, Subject>, ServerEvent, ServerFacts> = {
  RebuildServer(server, data, facts) {
    if (server.vmState === 'pending') return buildAgain(server, data, facts);
    if (isBuiltAgain(server, data)) return [];
    const { imageRef } = data;
    const begun = start(server, 'RebuildServer', { imageRef }, facts);
    return begun.length === 0 ? [] : [...toImage(server, imageRef), ...begun];
  },

  ClaimPendingServer(server, data, facts) {
    admit(server, claimPending, facts);
    const holder = holderOf(data, facts);
    refuseOthers(server, holder, facts);
    const { lease } = server.pending!;
    if (liveLease(server, facts)) return [];
    return [...(lease ? [claimEnded(lease, 'expired')] : []), claimed(holder, facts)];
  },

  /** The claim lasts anew from now on. One that has run out is not renewed: somebody else may have begun. */
  RenewPendingClaim(server, data, facts) {
    admit(server, claimPending, facts);
    const holder = holderOf(data, facts);
    refuseOthers(server, holder, facts);
    const lease = liveLease(server, facts);
    if (!lease) return refuse('pending-server-not-claimed', `${holder} has no claim on this server.`);
    const renewed = claimed(holder, facts);
    return sameJson(renewed.data, { holder, expiresAt: lease.expiresAt }) ? [] : [renewed];
  },

  ReleasePendingClaim(server, data, facts) {
    const lease = server.pending?.lease;
    if (!lease) return [];
    refuseOthers(server, holderOf(data, facts), facts);
    return [claimEnded(lease, 'released')];
  },
};

export function expireClaim(server: Server): ServerEvent[] {
  return [claimEnded(server.pending!.lease!, 'expired')];
}

/** Nobody made room in time. The first reason stays among the faults. */
export function giveUpPending(server: Server, _at: string, { time }: ServerFacts): ServerEvent[] {
  const { since, reason } = server.pending!;
  const seconds = Math.round((Date.parse(time) - Date.parse(since)) / 1000);
  const message = `Nobody made room for the server within ${seconds} seconds (${reason}).`;
  const fault = faultOf({ reason: 'PendingTimeout', message }, time);
  return toCondition(
    server,
    { vmState: 'error', taskState: null },
    { cause: 'DeadlinePassed', reason: fault.kind, fault },
  );
}
