import type { Finding, Proof } from '../../../src/client/index.ts';
import { Age } from '../../parts/age.tsx';
import { ProofLinks } from '../../parts/proof-links.tsx';
import { RemedyLine } from '../../parts/remedy-line.tsx';
import { ResourceLink } from '../../parts/resource-link.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

export type Diagnosis = Finding<Proof>;

/** One thing that is not as it should be: what shows it, and what mends it. */
export function FindingItem({ finding }: { readonly finding: Diagnosis }) {
  const { resource, status, since, summary, evidence, advice, command } = finding;
  return (
    <li className="finding">
      <p>
        <ResourceLink resource={resource} /> <StatusBadge status={status} /> <Age since={since} prefix="for " />
      </p>
      <p>{summary}</p>
      <ProofLinks proof={evidence} />
      {advice && <p>{advice}</p>}
      {command && <RemedyLine remedy={command} />}
    </li>
  );
}
