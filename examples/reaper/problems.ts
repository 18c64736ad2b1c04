import { ProblemError } from 'stackledger/client';

const isProblem = (error: unknown, ...statuses: number[]): error is ProblemError =>
  error instanceof ProblemError && statuses.includes(error.status);

/** The server is gone. */
export const isGone = (error: unknown): boolean => isProblem(error, 404, 410);

/** The server changed since it was looked at. */
export const isOutdated = (error: unknown): boolean => isProblem(error, 412);

/** The rules do not allow it, as things are now. */
export const isRefused = (error: unknown): boolean => isProblem(error, 404, 409, 410, 412);

/** For the log. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
