import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { lifetimeRefusals } from '../../domain/kernel/aggregate.ts';
import type { RefusalCategory } from '../../domain/kernel/refusal.ts';
import { runtimeRefusals } from '../../runtime/refusals.ts';

/** A kind of problem, documented at `/problems/<slug>`. */
export interface ProblemType {
  readonly status: number;
  /** The short sentence that stays the same for every occurrence. */
  readonly title: string;
  /** When it happens, and what the caller can do. */
  readonly explanation: string;
}

/** What a refusal of the rules is in HTTP. */
export const statusOfCategory: Readonly<Record<RefusalCategory, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  stale: 412,
  'key-reused': 422,
  unavailable: 503,
};

/** The problems that belong to no rule: they come from how the request was made, or from the state of the server. */
export const apiProblems = {
  'invalid-request': {
    status: 400,
    title: 'The request does not have the form that is expected here',
    explanation:
      'A field, parameter or part of the path is missing, unknown, or has a value that cannot be. `errors` names each by a JSON pointer and says what was expected. Nothing was stored.',
  },
  'invalid-json': {
    status: 400,
    title: 'The body is not acceptable JSON',
    explanation:
      'The text breaks the JSON grammar, or it is JSON whose meaning is not certain: a key given twice, a number too large to be exact, text that is not Unicode, nesting deeper than any command has. `position`, `line` and `column`, or `errors`, say where. Nothing was stored.',
  },
  'invalid-header': {
    status: 400,
    title: 'A request header has a value that cannot be',
    explanation:
      '`Idempotency-Key` and `X-Correlation-Id` hold 1 to 255 characters; `If-Match` holds one strong entity tag as it came in `ETag`, such as `"4"`. Nothing was stored.',
  },
  'invalid-url': {
    status: 400,
    title: 'The path cannot be read',
    explanation:
      'A percent sign in the path is not followed by two hexadecimal digits, or what they spell is not UTF-8.',
  },
  'unknown-command': {
    status: 400,
    title: 'There is no such command',
    explanation: 'The kind of resource has no command of this name. `allowed` lists those it has.',
  },
  unauthenticated: {
    status: 401,
    title: 'A token is needed',
    explanation:
      'This ledger is used with tokens. Send `Authorization: Bearer <token>`. A token that is unknown, misspelt or past its time is answered the same way.',
  },
  'token-without-rights': {
    status: 403,
    title: 'The token does not say what its bearer may do here',
    explanation:
      'The token is genuine, but a claim that the site reads is missing or says nothing of use: the name, the roles, or the project. `detail` names the claim. Ask whoever keeps the identity provider.',
  },
  'role-missing': {
    status: 403,
    title: 'The token does not carry the role this needs',
    explanation:
      'Roles build on each other: reader, agent, operator, admin. `needed` names the one this request needs, `role` the one the token has. Ask whoever keeps the tokens file.',
  },
  'outside-project': {
    status: 403,
    title: 'The token is confined to a project, and this is not of it',
    explanation:
      "A token or account with a project sees and changes what belongs to that project; what does not is answered as if it did not exist. This answer comes where there is nothing to hide: for paths that are about the whole site, for what is everybody's to read and nobody's to change, and where a command would give something to another project. `project` names the one the token has.",
  },
  'unknown-path': {
    status: 404,
    title: 'There is nothing at this path',
    explanation: 'The path is misspelt or belongs to another version. `/docs` lists all there are.',
  },
  'not-yet-created': {
    status: 404,
    title: 'The resource did not exist yet',
    explanation:
      'The resource was asked for as of a moment before it was created. `createdAt` says when its history begins.',
  },
  'no-such-revision': {
    status: 404,
    title: 'The resource has no such revision',
    explanation: 'The revision asked for was never recorded. `firstRevision` and `lastRevision` say which there are.',
  },
  'no-such-position': {
    status: 404,
    title: 'The ledger has no such position yet',
    explanation: 'The position asked for lies after the last event of the ledger. `position` says where that is.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The path knows other methods than this one',
    explanation: 'The header `Allow` lists the methods of this path.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The answer cannot be given in that form',
    explanation: 'The header `Accept` names only forms this path does not have. `available` lists those it has.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The connection was open for a long time without a whole request on it. Nothing was stored.',
  },
  'clock-not-manual': {
    status: 409,
    title: 'The clock of this ledger cannot be moved',
    explanation:
      'Time can be advanced only where the ledger was started with `STACKLEDGER_CLOCK=manual`, on a ledger made for it.',
  },
  'resource-unreadable': {
    status: 409,
    title: 'The history of this resource cannot be folded',
    explanation:
      'One of its recorded events does not fit the rules of this program. Nothing was stored. Other resources are not affected. `revision` and `position` name the event; `/history` shows the events before it.',
  },
  'resource-of-newer-version': {
    status: 409,
    title: 'The history of this resource needs a newer version of the program',
    explanation:
      'A newer version of Stackledger has recorded one of its events: this one knows the event up to `knownVersion`, and does not guess what `eventVersion` means. Nothing was stored. Upgrade this process, or ask one that is upgraded. Other resources are not affected. `revision` and `position` name the event; `/history` shows the events before it.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation:
      'A request, or a line of a bulk request, holds at most 1 MiB unless the server is set otherwise. Nothing was stored.',
  },
  'append-too-large': {
    status: 413,
    title: 'The command leads to more than one append can hold',
    explanation:
      'What would be recorded of this command exceeds 1,000,000 bytes. Nothing was stored. Send less in one.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is in a form that is not read here',
    explanation:
      'Commands are sent as `Content-Type: application/json`, bulk requests as `application/x-ndjson`; without a content encoding. Nothing was stored.',
  },
  'too-many-commands': {
    status: 429,
    title: 'Too many commands are in flight',
    explanation:
      'The server works on as many commands as it is set to. Nothing was stored. Try again after `Retry-After`.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too much at the same time',
    explanation:
      'The server answers as many reads, takes in as many large bodies and keeps as many bulk requests open as it is set to. Nothing was stored. Try again after `Retry-After`.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request headers are too large',
    explanation: 'All headers together hold at most 16 KiB.',
  },
  'internal-error': {
    status: 500,
    title: 'The server failed',
    explanation:
      'A fault of this program, logged under `requestId`. A command that was answered so may have been stored: repeat it with the same `Idempotency-Key`, or read the resource before sending it again.',
  },
  'not-writable': {
    status: 503,
    title: 'The ledger cannot be written at the moment',
    explanation: 'The store refuses writes: a full disk, for one. Nothing was stored. Try again after `Retry-After`.',
  },
  'related-resource-unreadable': {
    status: 503,
    title: 'The history of a resource that the command depends on cannot be folded',
    explanation:
      'The command would have been decided on another resource as well, `damaged`, and one of the recorded events of that one does not fit the rules of this program. Nothing was stored, and nothing is wrong with the resource the command was given to. `revision` and `position` name the event, `history` shows the events before it. The command can be carried out once a program reads that history which knows the event.',
  },
  'ledger-unreachable': {
    status: 503,
    title: 'The ledger cannot be reached at the moment',
    explanation:
      'The cluster that keeps the ledger does not answer. A command that was answered so may have been stored: repeat it with the same `Idempotency-Key` after `Retry-After`.',
  },
  'shutting-down': {
    status: 503,
    title: 'The server is shutting down',
    explanation:
      'The command came while the server was stopping. It was not carried out. Try again after `Retry-After`.',
  },
  'identity-provider-unreachable': {
    status: 503,
    title: 'The identity provider cannot be reached',
    explanation:
      'Tokens of the identity provider are checked with its keys. None is known yet, and it does not answer. Tokens of the tokens file are taken meanwhile. Try again after `Retry-After`.',
  },
  'read-models-not-ready': {
    status: 503,
    title: 'The read models are being built',
    explanation:
      'Lists, overviews and searches are answered from read models, which are made of the ledger when it is first started and after some upgrades. `/readyz` says how far that is. Commands, single resources, histories and events are served meanwhile. Try again after `Retry-After`.',
  },
  'read-models-overloaded': {
    status: 503,
    title: 'Too many questions wait for the read models',
    explanation: 'Nothing is wrong but the number of requests. Try again after `Retry-After`.',
  },
  'read-models-failed': {
    status: 503,
    title: 'The read models failed and recover',
    explanation:
      'Their file or thread failed; they are opened or built again by themselves. Nothing is lost: they are made of the ledger. Try again after `Retry-After`; `/readyz` says what is wrong.',
  },
  'position-not-reached': {
    status: 503,
    title: 'The view has not reached that position yet',
    explanation:
      'The read asked for a view that includes `min_position`, and it did not get there in the time the server waits. `position` says how far it is.',
  },
} as const satisfies Record<string, ProblemType>;

export type ApiProblemSlug = keyof typeof apiProblems;

/** Every kind of problem this server can answer with, by slug. */
export function allProblemTypes(aggregates: readonly Aggregate[]): ReadonlyMap<string, ProblemType> {
  const catalogues = [
    ...aggregates.flatMap(({ kind, refusals }) => [lifetimeRefusals(kind), refusals]),
    runtimeRefusals,
  ];
  const refusals = catalogues
    .flatMap((catalogue) => Object.entries(catalogue))
    .map(
      ([slug, { category, title, explanation }]) =>
        [slug, { status: statusOfCategory[category], title, explanation }] as const,
    );
  return new Map<string, ProblemType>([...Object.entries(apiProblems), ...refusals]);
}
