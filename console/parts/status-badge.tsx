import { shapes, toneOf } from '../lib/status.ts';

/** A status as shape, word and colour: any one of them is enough. */
export function StatusBadge({ status }: { readonly status: string }) {
  const tone = toneOf(status);
  return (
    <span className={`status tone-${tone}`}>
      <span aria-hidden="true" className="shape">
        {shapes[tone]}
      </span>{' '}
      {status}
    </span>
  );
}
