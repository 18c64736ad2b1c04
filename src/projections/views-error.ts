/** Why the read models cannot answer: a closed set, each with its data. */
export type ViewsFault =
  /** They are being built for the first time. */
  | { readonly code: 'not-ready' }
  /** Too many questions wait already. */
  | { readonly code: 'overloaded'; readonly waiting: number }
  | { readonly code: 'invalid-query'; readonly reason: string }
  /** The models' file or thread failed; they recover by themselves. */
  | { readonly code: 'failed'; readonly reason: string }
  /** The file is broken, so that it must be built anew. */
  | { readonly code: 'damaged'; readonly reason: string }
  | { readonly code: 'closed' };

export class ViewsError extends Error {
  override readonly name = 'ViewsError';
  readonly fault: ViewsFault;

  constructor(fault: ViewsFault, cause?: unknown) {
    super(sentences[fault.code](fault as never), { cause });
    this.fault = fault;
  }
}

export const isViewsError = <C extends ViewsFault['code']>(
  error: unknown,
  code: C,
): error is ViewsError & { fault: Extract<ViewsFault, { code: C }> } =>
  error instanceof ViewsError && error.fault.code === code;

/** What went wrong, without what happens now. */
export function reasonOf(error: unknown): string {
  if (isViewsError(error, 'failed') || isViewsError(error, 'damaged')) return error.fault.reason;
  return error instanceof Error ? error.message : String(error);
}

const sentences: { [C in ViewsFault['code']]: (fault: Extract<ViewsFault, { code: C }>) => string } = {
  'not-ready': () => 'The read models are being built; try again in a moment.',
  overloaded: ({ waiting }) => `${waiting} questions to the read models wait already; try again in a moment.`,
  'invalid-query': ({ reason }) => reason,
  failed: ({ reason }) => `The read models failed and recover: ${reason}`,
  damaged: ({ reason }) => `The file of the read models is damaged and is built anew: ${reason}`,
  closed: () => 'The read models are closed.',
};
