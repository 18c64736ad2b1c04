import type { Kind } from '../../../src/client/index.ts';
import { creationOf } from '../../lib/creation.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Link } from '../../parts/link.tsx';

/** An empty list says how it would be filled. */
export function EmptyList({ kind, isFiltered }: { readonly kind: Kind; readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <section className="panel empty">
        <p>
          No {kind} is so. <Link href={`/${kind}s`}>Show all {kind}s</Link>
        </p>
      </section>
    );
  }
  return (
    <section className="panel empty">
      <p>There is no {kind} yet. This makes one:</p>
      <CommandLine text={creationOf(kind)} />
    </section>
  );
}
