import type { Proof } from '../../src/client/index.ts';
import { resourceOfStream } from '../lib/kinds.ts';
import { Link } from './link.tsx';

/** The events that prove it, each a link to the moment it happened. */
export function ProofLinks({ proof }: { readonly proof: readonly Proof[] }) {
  if (proof.length === 0) return null;
  return (
    <p className="proof quiet">
      {proof.map(({ eventId, stream, type, revision }) => (
        <Link key={eventId} href={hrefOfEvent(stream, revision)} title={`The event ${eventId}`}>
          {type}
        </Link>
      ))}
    </p>
  );
}

function hrefOfEvent(stream: string, revision: number): string {
  const path = resourceOfStream(stream);
  return path === null ? '#' : `${path}?at=${revision}`;
}
