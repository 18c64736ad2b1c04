import { formatDuration, useNow } from '../../../lib/time.ts';
import { Age } from '../../../parts/age.tsx';
import { ProofLinks } from '../../../parts/proof-links.tsx';
import { RemedyLine } from '../../../parts/remedy-line.tsx';
import { ResourceLink } from '../../../parts/resource-link.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import type { Condition, Explanation, Owner } from './answer.ts';
import { Summary } from './summary.tsx';

/** Conditions as a tree: those that are not met first, each with what it waits for in turn. */
export function ConditionList({ conditions }: { readonly conditions: readonly Condition[] }) {
  if (conditions.length === 0) return null;
  return (
    <ul className="conditions">
      {conditions.map((condition) => (
        <li key={`${condition.what} ${condition.summary}`}>
          <ConditionItem condition={condition} />
        </li>
      ))}
    </ul>
  );
}

function ConditionItem({ condition }: { readonly condition: Condition }) {
  const { met, summary, since, owner, clearable, proof, because } = condition;
  return (
    <>
      <p>
        <span aria-hidden="true" className={met ? 'tone-fine' : 'tone-failed'}>
          {met ? '✓' : '✗'}
        </span>
        <span className="visually-hidden">{met ? 'met: ' : 'not met: '}</span> {summary}
      </p>
      <div className="condition-facts">
        <p>
          {met ? <Age since={since} suffix=" ago" /> : <Age since={since} prefix="waiting " />}
          {owner && <OwnerWords owner={owner} />}
        </p>
        {clearable && (
          <p className={clearable.by === 'nobody' ? 'tone-failed' : undefined}>
            {clearers[clearable.by]} {clearable.how}
            {clearable.deadline !== null && <Deadline at={clearable.deadline} />}
          </p>
        )}
        {clearable?.command && <RemedyLine remedy={clearable.command} />}
        <ProofLinks proof={proof} />
        {because.map((explanation) => (
          <Because key={explanation.resource.id} explanation={explanation} />
        ))}
      </div>
    </>
  );
}

const clearers = {
  itself: 'Clears by itself:',
  owner: 'Its owner can clear it:',
  operator: 'An operator can clear it:',
  nobody: 'Nobody can clear it:',
} as const;

function OwnerWords({ owner }: { readonly owner: Owner }) {
  const now = useNow();
  const { kind, id, alive, lastSeenAt } = owner;
  const silent = lastSeenAt === null ? '' : ` ${formatDuration(now - Date.parse(lastSeenAt))}`;
  return (
    <>
      , {kind} {id}
      {alive === false && <span className="tone-failed"> silent{silent}</span>}
      {alive === true && <span className="tone-fine"> alive</span>}
    </>
  );
}

function Deadline({ at }: { readonly at: string }) {
  const left = Date.parse(at) - useNow();
  return <> ({left > 0 ? `given up in ${formatDuration(left)}` : 'its time is over'})</>;
}

/** Another resource that the condition hangs on, with its own conditions below it. */
function Because({ explanation }: { readonly explanation: Explanation }) {
  const { resource, status, conditions, elided } = explanation;
  return (
    <div className="because">
      <p>
        <ResourceLink resource={resource} /> <StatusBadge status={status} />
      </p>
      {elided === 'told-elsewhere' ? (
        <p className="quiet">Told elsewhere in this tree.</p>
      ) : (
        <Summary explanation={explanation} />
      )}
      {elided === 'too-deep' && <p className="quiet">What it waits for in turn is on its own page.</p>}
      <ConditionList conditions={conditions} />
    </div>
  );
}
