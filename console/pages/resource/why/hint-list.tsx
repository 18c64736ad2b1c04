import { Age } from '../../../parts/age.tsx';
import { ProofLinks } from '../../../parts/proof-links.tsx';
import { RemedyLine } from '../../../parts/remedy-line.tsx';
import type { Hint } from './answer.ts';

/** What is worth knowing and stands in nobody's way. */
export function HintList({ hints }: { readonly hints: readonly Hint[] }) {
  if (hints.length === 0) return null;
  return (
    <>
      <h3>Worth knowing</h3>
      <ul className="hints">
        {hints.map(({ what, kind, summary, since, proof, command }) => (
          <li key={`${what} ${summary}`}>
            <p>
              <span className="quiet">{kind}</span> {summary} <Age since={since} prefix="(since " suffix=")" />
            </p>
            {command && <RemedyLine remedy={command} />}
            <ProofLinks proof={proof} />
          </li>
        ))}
      </ul>
    </>
  );
}
