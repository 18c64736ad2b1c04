import { type Kind, kinds } from '../../domain/kernel/resource.ts';
import { explain } from '../../domain/why/explain.ts';
import type { Clue, Proof } from '../../domain/why/explanation.ts';
import { type DoctorPage, type Finding, findingsOf, type UsualStay } from '../../domain/why/findings.ts';
import type { Page } from '../queries.ts';
import type { Views } from '../views.ts';
import { loadWorld, type WhySources } from './load-world.ts';
import { proofs } from './prove.ts';
import { type Present, presentScene } from './why.ts';

export interface DoctorQuery {
  /** Only these. */
  readonly kind?: Kind;
  /** How many resources to look at, at most. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly marker?: DoctorMarker;
}

/** Where the doctor goes on: in the list of a kind, by its marker. */
export interface DoctorMarker {
  readonly kind: Kind;
  readonly marker: string | null;
}

/** Ports first: what is wrong with them is what servers wait for. */
const inOrder: readonly Kind[] = kinds;

/**
 * Looks through everything that lives, a page of resources at a time, so that a question costs the same in a ledger of any
 * size. What it finds is what explanations say: no rule is written twice.
 */
export async function examine(
  sources: WhySources,
  present: Present,
  views: Pick<Views, 'ask'>,
  query: DoctorQuery,
): Promise<Omit<DoctorPage<Proof>, 'next'> & { readonly next: DoctorMarker | null }> {
  const kind = query.marker?.kind ?? query.kind ?? inOrder[0]!;
  const marker = query.marker?.marker ?? null;
  const { position, value }: { position: string; value: Page<{ id: string; status: string }> } = await views.ask(
    'list',
    { kind, limit: query.limit, ...(marker !== null && { marker }) },
  );
  const usual = await usualStays(
    views,
    kind,
    value.items.map(({ status }) => status),
  );
  const findings: Finding<Proof>[] = [];
  for (const { id } of value.items) findings.push(...(await examineOne(sources, present, { kind, id }, usual)));
  const next = nextOf(query, kind, value.next);
  return { findings, examined: value.items.length, next, time: present.now(), position };
}

function nextOf({ kind: only }: DoctorQuery, kind: Kind, marker: string | null): DoctorMarker | null {
  if (marker !== null) return { kind, marker };
  const following = only === undefined ? inOrder[inOrder.indexOf(kind) + 1] : undefined;
  return following ? { kind: following, marker: null } : null;
}

async function examineOne(
  sources: WhySources,
  present: Present,
  resource: { kind: Kind; id: string },
  usual: ReadonlyMap<string, UsualStay>,
): Promise<Finding<Proof>[]> {
  const world = await loadWorld(sources, presentScene(present), resource);
  const explanation = explain(resource, world);
  const findings = findingsOf<Clue>(explanation, usual.get(explanation.status) ?? null, world.time);
  const proved: Finding<Proof>[] = [];
  for (const finding of findings) proved.push({ ...finding, evidence: await proofs(finding.evidence, world.tails) });
  return proved;
}

async function usualStays(
  views: Pick<Views, 'ask'>,
  kind: Kind,
  statuses: readonly string[],
): Promise<ReadonlyMap<string, UsualStay>> {
  const usual = new Map<string, UsualStay>();
  for (const status of new Set(statuses)) usual.set(status, (await views.ask('usualStay', { kind, status })).value);
  return usual;
}
