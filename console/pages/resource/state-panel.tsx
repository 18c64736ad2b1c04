import type { HistoryEntry, State } from '../../../src/client/index.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Scrolling } from '../../parts/scrolling.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import type { Moment } from './use-moment.ts';

/** The state after an event. What it changed is marked; what holds nothing is folded away. */
export function StatePanel({ entry, moment }: { readonly entry: HistoryEntry; readonly moment: Moment | null }) {
  return (
    <Scrolling titledBy="state-title">
      <h2 id="state-title">State at {entry.revision + 1}</h2>
      {moment ? <Body moment={moment} /> : <Skeleton lines={8} what="the state" />}
    </Scrolling>
  );
}

function Body({ moment: { state, patch } }: { readonly moment: Moment }) {
  if (!state) return <p className="quiet">There is none: it is deleted.</p>;
  const marked = new Set(patch.map(({ path }) => path));
  const { telling, empty } = partsOf(state, marked);
  const count = Object.keys(empty).length;
  return (
    <>
      <JsonView value={telling} marked={marked} />
      {count > 0 && (
        <details className="quiet">
          <summary>{count} without a value</summary>
          <JsonView value={empty} />
        </details>
      )}
    </>
  );
}

function partsOf(state: State, marked: ReadonlySet<string>): { telling: object; empty: object } {
  const members = Object.entries(state);
  const tells = ([key, value]: [string, unknown]): boolean => marked.has(`/${key}`) || !isEmpty(value);
  return {
    telling: Object.fromEntries(members.filter(tells)),
    empty: Object.fromEntries(members.filter((member) => !tells(member))),
  };
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
