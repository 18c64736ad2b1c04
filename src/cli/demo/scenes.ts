import { sameJson } from '../../domain/kernel/json.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { openStore } from '../../store/open-store.ts';
import { bareMetalEnd, bareMetalLines, node } from './bare-metal.ts';
import { deadAgent, metal, nic, playChain, request, server, victim } from './chain.ts';
import type { Difference } from './nova/differences.ts';
import { playRecording, type Refused } from './nova/play.ts';
import type { Recording } from './nova/recording.ts';
import { titles } from './nova/titles.ts';
import { portLines, race, racer, reversed, silentAgent, waiting } from './ports.ts';
import { type Replayed, replay } from './replay.ts';
import { playScene, type Shown } from './scene.ts';
import { isDone, type Stage } from './stage.ts';
import { type Moment, timelineOf } from './timeline.ts';

/** A resource and what happened to it. */
export interface Life {
  readonly kind: string;
  readonly id: string;
  readonly timeline: readonly Moment[];
}

export interface RecordingScene {
  readonly act: 'nova';
  readonly ok: boolean;
  readonly name: string;
  readonly description: string;
  readonly usePendingState: boolean;
  readonly commands: number;
  readonly compared: Readonly<Record<'answers' | 'servers' | 'lists' | 'rows', number>>;
  readonly refused: readonly Refused[];
  /** `reason` and `explanation` are null where nobody meant it to differ. */
  readonly differences: readonly (Difference & { reason: string | null; explanation: string | null })[];
  readonly resources: readonly Life[];
}

export interface BareMetalScene {
  readonly act: 'bare-metal';
  readonly ok: boolean;
  readonly refused: readonly Shown[];
  readonly faults: readonly string[];
  readonly resources: readonly Life[];
}

export interface PortsScene {
  readonly act: 'ports';
  readonly ok: boolean;
  readonly faults: readonly string[];
  readonly waits: readonly Wait[];
  readonly race: { readonly ports: number; readonly active: number };
  readonly resources: readonly Life[];
}

/** Whom a port waits for, and whether anybody there is alive who could report. */
export interface Wait {
  readonly portId: string;
  readonly entity: string;
  readonly host: string | null;
  readonly since: string;
  readonly lastedMs: number;
  readonly agent: string;
  readonly alive: boolean;
  readonly lastHeardAt: string;
}

export interface ReplayScene extends Replayed {
  readonly act: 'replay';
  readonly ok: boolean;
  readonly commands: number;
}

/** From a request to the last event of the port and the node that came of it. */
export interface ChainScene {
  readonly act: 'chain';
  readonly ok: boolean;
  readonly faults: readonly string[];
  readonly correlationId: string;
  /** What the example reaper said meanwhile. */
  readonly reaper: readonly string[];
  /** What the request came to, resource by resource. */
  readonly resources: readonly Life[];
  /** What happened on its way to others. */
  readonly bystanders: readonly Life[];
}

export type Scene = RecordingScene | BareMetalScene | PortsScene | ChainScene | ReplayScene;

/** Plays the whole demo. The server runs from the first scene up to the last one, which reads the ledger without it. */
export async function* playAll(stage: Stage, recordings: readonly Recording[]): AsyncGenerator<Scene, void, undefined> {
  yield* novaScenes(stage, recordings);
  yield await bareMetalScene(stage);
  yield await portsScene(stage);
  yield await chainScene(stage);
  yield await replayScene(stage);
}

/** Whether servers may be PENDING is a setting of the server, so it is started anew where the recordings differ in it. */
async function* novaScenes(stage: Stage, recordings: readonly Recording[]): AsyncGenerator<RecordingScene> {
  let usePendingState: boolean | null = null;
  for (const recording of recordings) {
    if (recording.usesPendingState !== usePendingState) {
      usePendingState = recording.usesPendingState;
      await stage.close();
      await stage.open({ usePendingState });
    }
    yield await recordingScene(stage, recording);
  }
}

async function recordingScene(stage: Stage, recording: Recording): Promise<RecordingScene> {
  const { serverIds, commands, compared, refused, differences } = await playRecording(stage, recording);
  return {
    act: 'nova',
    ok: differences.every(({ reason }) => reason !== null),
    name: recording.name,
    description: titles[recording.name] ?? recording.description,
    usePendingState: recording.usesPendingState,
    commands,
    compared,
    refused,
    differences: differences.map(({ reason, ...difference }) => ({
      ...difference,
      reason: reason?.name ?? null,
      explanation: reason?.reason ?? null,
    })),
    resources: await livesOf(
      stage,
      serverIds.map((id) => ({ kind: 'server', id })),
    ),
  };
}

async function livesOf(stage: Stage, resources: readonly ResourceRef[], correlationId?: string): Promise<Life[]> {
  const lives: Life[] = [];
  for (const resource of resources) {
    lives.push({ ...resource, timeline: await timelineOf(stage, resource, correlationId) });
  }
  return lives;
}

async function bareMetalScene(stage: Stage): Promise<BareMetalScene> {
  const { refused, faults } = await playScene(stage, bareMetalLines);
  const wrong = [...faults, ...(await wrongIn(stage, node, bareMetalEnd))];
  return { act: 'bare-metal', ok: wrong.length === 0, refused, faults: wrong, resources: await livesOf(stage, [node]) };
}

async function portsScene(stage: Stage): Promise<PortsScene> {
  const { faults } = await playScene(stage, portLines);
  const waits = await waitsOf(stage);
  const raced = await race(stage);
  const wrong = [
    ...faults,
    ...(await wrongIn(stage, reversed, { status: 'ACTIVE', blocks: [] })),
    ...(await wrongIn(stage, waiting, { status: 'BUILD' })),
    ...(await wrongIn(stage, silentAgent, { alive: false })),
    ...(waits.length === 1 ? [] : [`the port ${waiting.id} waits for ${waits.length} reports, not for one`]),
    ...(raced.active === raced.ports ? [] : [`${raced.ports - raced.active} of ${raced.ports} ports are not ACTIVE`]),
  ];
  const shown = [reversed, waiting, silentAgent, racer];
  return {
    act: 'ports',
    ok: wrong.length === 0,
    faults: wrong,
    waits,
    race: raced,
    resources: await livesOf(stage, shown),
  };
}

async function waitsOf(stage: Stage): Promise<Wait[]> {
  const [port, agent] = [await stage.read(waiting), await stage.read(silentAgent)];
  if (!isDone(port) || !isDone(agent)) return [];
  return port.state.blocks.map(({ entity, host = null, since }) => ({
    ...{ portId: waiting.id, entity, host, since, lastedMs: Date.parse(stage.now) - Date.parse(since) },
    ...{ agent: silentAgent.id, alive: agent.state.alive, lastHeardAt: agent.state.lastHeartbeatAt },
  }));
}

/** A sentence for each member that is not as it is meant to be in the end. */
async function wrongIn(stage: Stage, resource: ResourceRef, expected: object): Promise<string[]> {
  const outcome = await stage.read(resource);
  const state = isDone(outcome) ? (outcome.state as unknown as Readonly<Record<string, unknown>>) : {};
  return Object.entries(expected)
    .filter(([name, value]) => !sameJson(state[name], value))
    .map(([name, value]) => {
      const is = JSON.stringify(state[name]);
      return `${name} of the ${resource.kind} ${resource.id} is ${is}, not ${JSON.stringify(value)}`;
    });
}

/** Servers may be PENDING here, and boot without a port that nobody wires. */
async function chainScene(stage: Stage): Promise<ChainScene> {
  await stage.close();
  await stage.open({ usePendingState: true, vifPluggingIsFatal: false });
  const { faults, reaper } = await playChain(stage, (resource, expected) => wrongIn(stage, resource, expected));
  const resources = await livesOf(stage, [server, metal, nic], request);
  const [whole] = await livesOf(stage, [server]);
  const lost = whole!.timeline.length - resources[0]!.timeline.length;
  const wrong = lost === 0 ? faults : [...faults, `${lost} changes of ${server.id} do not belong to ${request}`];
  return {
    act: 'chain',
    ok: wrong.length === 0,
    faults: wrong,
    correlationId: request,
    reaper,
    resources,
    bystanders: await livesOf(stage, [victim, deadAgent]),
  };
}

async function replayScene(stage: Stage): Promise<ReplayScene> {
  const live = await stage.liveStates();
  await stage.close();
  const store = await openStore(stage.storeUrl, { readOnly: true });
  try {
    const replayed = await replay(store, live);
    const ok = replayed.differing.length === 0 && replayed.findings === 0;
    return { act: 'replay', ok, commands: stage.commands, ...replayed };
  } finally {
    await store.close();
  }
}
