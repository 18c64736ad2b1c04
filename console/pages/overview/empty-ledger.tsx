import { creationOf } from '../../lib/creation.ts';
import { CommandLine } from '../../parts/command-line.tsx';

/** The first screen of a ledger in which nothing has happened: how to make something happen. */
export function EmptyLedger() {
  return (
    <section className="panel empty">
      <h2>Nothing has happened here yet</h2>
      <p>A port is created like this; it appears here at once:</p>
      <CommandLine text={creationOf('port')} />
      <p>
        <a href="/docs">What else can be told to a ledger</a>
      </p>
    </section>
  );
}
