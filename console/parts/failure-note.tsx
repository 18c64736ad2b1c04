import { ProblemError } from '../../src/client/index.ts';
import { useNow } from '../lib/time.ts';
import type { Failure } from '../lib/use-loaded.ts';

interface Props {
  readonly what: string;
  readonly failure: Failure | null;
  readonly retry: () => void;
}

/** What failed, why, and when it is tried again. What was shown before stays where it is. */
export function FailureNote({ what, failure, retry }: Props) {
  if (!failure) return null;
  const { error, retryAt } = failure;
  // The page asks for a token by then, and loads everything when it has one.
  if (error instanceof ProblemError && error.status === 401) return null;
  const title = error instanceof ProblemError ? error.title : 'No answer';
  return (
    <div className="failure" role="alert">
      <strong>
        <span aria-hidden="true">✕</span> {what} could not be loaded: {title}
      </strong>
      <p>{error.message}</p>
      <p className="actions">
        {retryAt !== null && <Countdown until={retryAt} />}
        <button type="button" onClick={retry}>
          Try now
        </button>
      </p>
    </div>
  );
}

function Countdown({ until }: { readonly until: number }) {
  useNow(); // a second at a time
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  // The count is for eyes: a screen reader that read out each second would say nothing else.
  return <span aria-hidden="true">{seconds === 0 ? 'Trying again…' : `Trying again in ${seconds} s.`}</span>;
}
