import type { JsonPatchOperation } from '../../../src/client/index.ts';
import { keysIn, valueAt } from '../../../src/domain/kernel/json-pointer.ts';
import { JsonView } from '../../parts/json-view.tsx';
import type { Moment } from './use-moment.ts';

const signs = { add: '+', replace: '~', remove: '−' } as const;
const words = { add: 'added', replace: 'changed', remove: 'removed' } as const;

/** What changes with every event, and says nothing. */
const bookkeeping = new Set(['/revision', '/updatedAt']);

/** The change an event made to the state, one line a change. */
export function DiffPanel({ moment }: { readonly moment: Moment }) {
  const changes = moment.patch.filter(({ path }) => !bookkeeping.has(path));
  if (changes.length === 0) return <p className="quiet">Nothing but the revision.</p>;
  return (
    <ul className="diff">
      {changes.map((change) => (
        <Change
          key={`${change.op}${change.path}`}
          change={change}
          before={valueAt(moment.before, keysIn(change.path))}
        />
      ))}
    </ul>
  );
}

function Change({ change, before }: { readonly change: JsonPatchOperation; readonly before: unknown }) {
  const { op, path } = change;
  return (
    <li className={`diff-${op}`}>
      <span aria-hidden="true">{signs[op]}</span>
      <span className="visually-hidden">{words[op]}</span> <strong>{nameOf(path)}</strong>{' '}
      {op !== 'add' && isPlain(before) && (
        <span className="diff-before">
          <JsonView value={before} />
        </span>
      )}
      {op === 'replace' && isPlain(before) && ' → '}
      {op !== 'remove' && <JsonView value={change.value} />}
    </li>
  );
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';

/** `/blocks/0/entity` as `blocks[0].entity`; the whole state has no name of its own. */
function nameOf(path: string): string {
  const joined = keysIn(path)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('');
  return joined.replace(/^\./, '') || 'the whole state';
}
