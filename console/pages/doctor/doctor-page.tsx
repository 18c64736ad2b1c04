import { useState } from 'react';
import { groupBy } from '../../lib/group.ts';
import { setLedgerTime } from '../../lib/time.ts';
import { useLoaded } from '../../lib/use-loaded.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { type Diagnosis, FindingItem } from './finding-item.tsx';

interface Report {
  readonly findings: readonly Diagnosis[];
  readonly examined: number;
  /** Whether there is more than was looked at. */
  readonly isCut: boolean;
}

/** So many findings are more than anybody reads at once. */
const enough = 200;

/** What would bite us later? */
export function DoctorPage() {
  const [examined, setExamined] = useState(0);
  const report = useLoaded<Report>('doctor', async (client, signal) => {
    const findings: Diagnosis[] = [];
    let seen = 0;
    for await (const page of client.doctor({ signal })) {
      findings.push(...page.findings);
      seen += page.examined;
      setLedgerTime(page.time);
      setExamined(seen);
      if (findings.length >= enough && page.next !== null) return { findings, examined: seen, isCut: true };
    }
    return { findings, examined: seen, isCut: false };
  });
  const { value } = report;
  return (
    <>
      <div className="panel-head">
        <h1>What would bite later</h1>
        <button type="button" onClick={report.reload}>
          Look again
        </button>
      </div>
      <FailureNote what="The report" failure={report.failure} retry={report.reload} />
      {!value && !report.failure && (
        <>
          <p className="quiet">{examined.toLocaleString('en')} resources looked at so far</p>
          <Skeleton lines={8} what="the report" />
        </>
      )}
      {value && <Findings report={value} />}
    </>
  );
}

function Findings({ report: { findings, examined, isCut } }: { readonly report: Report }) {
  const kinds = [...groupBy(findings, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length);
  return (
    <>
      <p className="quiet">
        {examined.toLocaleString('en')} resources were looked at.
        {findings.length === 0 && ' Nothing is left over, nothing contradicts itself, nothing stays longer than usual.'}
        {isCut && ' There is more; mend these first, and look again.'}
      </p>
      {kinds.map(([kind, found]) => (
        <section key={kind} className="panel doctor" aria-labelledby={`kind-${kind}`}>
          <h2 id={`kind-${kind}`}>
            {kind.replaceAll('-', ' ')} ({found.length})
          </h2>
          <ul>
            {found.map((finding) => (
              <FindingItem
                key={`${finding.resource.kind} ${finding.resource.id} ${finding.summary}`}
                finding={finding}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
