import { createHash } from 'node:crypto';

/** Whether the caller has this version already. A weak tag is as good as a strong one here, says HTTP. */
export const matchesTag = (ifNoneMatch = '', tag: string): boolean =>
  ifNoneMatch.split(',').some((candidate) => ['*', strong(tag)].includes(strong(candidate.trim())));

/** A tag for an answer whose content is told by a text, wherever the ledger is by then. */
export const weakTag = (text: string): string => `W/"${createHash('sha1').update(text).digest('base64url')}"`;

const strong = (tag: string): string => tag.replace(/^W\//, '');
