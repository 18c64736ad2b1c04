import type { Condition, Explanation, Hint, Remedy } from './explanation.ts';

/** Something that would bite later: a leftover, a contradiction, or what does not move on. */
export interface Finding<P> {
  /** A word that programs may rely on. */
  readonly kind: string;
  readonly resource: Explanation<P>['resource'];
  readonly status: string;
  readonly since: string;
  readonly summary: string;
  /** The events that show it. */
  readonly evidence: readonly P[];
  /** What to do, in words, where that needs some. */
  readonly advice: string | null;
  /** What mends it; null where people must look first. */
  readonly command: Remedy | null;
}

/** A page of findings, and how far the doctor has come. */
export interface DoctorPage<P> {
  readonly findings: readonly Finding<P>[];
  /** How many resources were looked at. */
  readonly examined: number;
  /** The `marker` of the next page; null where everything has been looked at. */
  readonly next: string | null;
  /** When it was looked at, by the ledger's clock. */
  readonly time: string;
  /** What was recorded up to here is in it. */
  readonly position: string;
}

/** How long a status lasted for others of the kind. */
export interface UsualStay {
  readonly samples: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** What is told of conditions that nobody can lift. Where another resource is at fault, it is found there. */
const unliftable: Readonly<Record<string, string>> = {
  'l2-report': 'block-nobody-can-clear',
  'dhcp-report': 'block-nobody-can-clear',
  'entity-report': 'block-nobody-can-clear',
  'first-report': 'block-nobody-can-clear',
  'device-up': 'block-nobody-can-clear',
  binding: 'binding-nobody-can-make',
  'network-vif-plugged': 'event-nobody-can-send',
  'network-vif-unplugged': 'event-nobody-can-send',
  'network-vif-deleted': 'event-nobody-can-send',
};

/** The same rules as those of an explanation: what it says, read by somebody who looks for trouble. */
export function findingsOf<P>(explanation: Explanation<P>, usual: UsualStay | null, time: string): Finding<P>[] {
  const { resource, status, conditions, hints } = explanation;
  const about = { resource, status };
  return [
    ...conditions.filter(isUnliftable).map(({ what, since, summary, proof, clearable }) => ({
      kind: unliftable[what]!,
      ...about,
      since,
      summary,
      evidence: proof,
      advice: clearable!.how,
      command: clearable!.command,
    })),
    ...hints
      .filter(({ kind }: Hint<P>) => kind !== 'note')
      .map(({ what, since, summary, proof, command }) => ({
        kind: what,
        ...about,
        since,
        summary,
        evidence: proof,
        advice: null,
        command,
      })),
    ...tooLong(explanation, usual, time),
  ];
}

const isUnliftable = <P>({ what, clearable, because }: Condition<P>): boolean =>
  clearable?.by === 'nobody' &&
  Object.hasOwn(unliftable, what) &&
  because.every(({ resource }) => resource.kind === 'agent');

/** Fewer stays than these tell nothing about what is usual; shorter ones than this are nobody's concern. */
const fewestSamples = 20;
const shortestMs = 60_000;

/** It is on its way somewhere, and for longer than nearly all others were. */
function tooLong<P>(explanation: Explanation<P>, usual: UsualStay | null, time: string): Finding<P>[] {
  const { resource, status, since, verdict, summary, conditions } = explanation;
  const isUnderWay = verdict === 'waiting' || verdict === 'stuck';
  if (!usual || !isUnderWay || since === null || usual.samples < fewestSamples) return [];
  const lasted = Date.parse(time) - Date.parse(since);
  if (lasted < Math.max(2 * usual.p95Ms, shortestMs)) return [];
  const [median, p95] = [usual.medianMs, usual.p95Ms].map((ms) => Math.round(ms / 100) / 10);
  return [
    {
      kind: 'longer-than-usual',
      resource,
      status,
      since,
      summary: `It is ${status} for ${Math.round(lasted / 1000)} s; half of the others were for at most ${median} s, and 95 of 100 for at most ${p95} s. ${summary}`,
      evidence: conditions.find(({ met }) => !met)?.proof ?? [],
      advice: null,
      command: null,
    },
  ];
}
