import { z } from 'zod';
import { abortingWith } from '../../aborting-with.ts';
import type { Clock } from '../clock.ts';
import type { NovaEvent } from './notification.ts';

export interface NovaEndpointOptions {
  /** Nova's compute endpoint, such as `http://nova:8774/v2.1`. */
  readonly url: string;
  readonly token?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/** What Nova says of one event. */
export interface ItemAnswer {
  readonly accepted: boolean;
  /** The code of the item, or of the whole answer; null where Nova said nothing of it. */
  readonly code: number | null;
  readonly detail: string;
}

export type NovaAnswer =
  /** One for each event sent, in their order. */
  | { readonly kind: 'answered'; readonly items: readonly ItemAnswer[] }
  /** All of it was refused for what is in it. */
  | { readonly kind: 'refused'; readonly code: number; readonly detail: string }
  /** It may be accepted later. `fault`: Nova stumbled, over one of the events perhaps. */
  | {
      readonly kind: 'unavailable';
      readonly detail: string;
      readonly code: number | null;
      readonly fault: boolean;
      readonly retryAfterMs: number;
    };

/**
 * Refusals that are not about the events: who asks, what is asked for at this address, how often. Nova answers an unknown
 * server item by item, so a 404 for the whole means that the address is wrong.
 */
const notAboutEvents = new Set([401, 403, 404, 405, 406, 407, 408, 421, 425, 426, 429, 431, 451]);

/** All events about networks are in Nova's API from its first microversion on. */
const microversion = 'compute 2.1';
const longestDetail = 300;

const Answer = z.object({
  events: z.array(
    z.object({ name: z.string(), server_uuid: z.string(), tag: z.string().nullish(), code: z.int().optional() }),
  ),
});
type AnswerItem = z.infer<typeof Answer>['events'][number];

/** Nova's `os-server-external-events`. */
export class NovaEndpoint {
  readonly #options: NovaEndpointOptions;
  readonly #url: string;

  /** @throws RangeError for a URL or a token that cannot be; it does not repeat them, since both may be secret */
  constructor(options: NovaEndpointOptions) {
    const { url, token } = options;
    if (!isPlainUrl(url))
      throw new RangeError('The URL of Nova must be http:// or https://, without a password in it.');
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new RangeError('The token for Nova must be printable ASCII without spaces.');
    this.#options = options;
    this.#url = `${url.replace(/\/+$/, '')}/os-server-external-events`;
  }

  /** Never throws: not being answered is an answer too. */
  async post(events: readonly NovaEvent[], stop: AbortSignal): Promise<NovaAnswer> {
    const { clock, timeoutMs } = this.#options;
    const limit = abortingWith(stop);
    let isLate = false;
    const cancel = clock.schedule(clock.now() + timeoutMs, () => {
      isLate = true;
      limit.abort();
    });
    try {
      return await this.#exchange(events, limit.signal);
    } catch (error) {
      return unavailable(isLate ? `no answer within ${timeoutMs} ms` : this.#clean(reasonOf(error)));
    } finally {
      cancel();
      limit.abort();
    }
  }

  async #exchange(events: readonly NovaEvent[], signal: AbortSignal): Promise<NovaAnswer> {
    const { token, clock } = this.#options;
    const response = await this.#options.fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'openstack-api-version': microversion,
        ...(token !== undefined && { 'x-auth-token': token }),
      },
      body: JSON.stringify({ events }),
      // Where a redirect leads, the token has no business.
      redirect: 'manual',
      signal,
    });
    const text = await response.text();
    const { status: code, ok } = response;
    if (ok) return { kind: 'answered', items: itemsOf(events, code, text) };
    const detail = this.#clean(`${code} ${text}`);
    if (code >= 400 && code < 500 && !notAboutEvents.has(code)) return { kind: 'refused', code, detail };
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), clock.now());
    return unavailable(detail, { code, fault: code === 500, retryAfterMs });
  }

  /** Short, in one line, and without the token, should anybody have sent it back. */
  #clean(text: string): string {
    const { token } = this.#options;
    const safe = token === undefined ? text : text.replaceAll(token, '***');
    return safe.replace(/\s+/g, ' ').trim().slice(0, longestDetail);
  }
}

const unavailable = (
  detail: string,
  more: { code?: number; fault?: boolean; retryAfterMs?: number } = {},
): NovaAnswer => ({
  kind: 'unavailable',
  detail,
  code: null,
  fault: false,
  retryAfterMs: 0,
  ...more,
});

/** Nova answers in the order of the request; a proxy or another implementation may not, so items are found by content. */
function itemsOf(events: readonly NovaEvent[], code: number, text: string): ItemAnswer[] {
  const unclaimed = parseItems(text);
  return events.map((event) => {
    const index = unclaimed.findIndex((item) => isAbout(item, event));
    const item = index < 0 ? undefined : unclaimed.splice(index, 1)[0];
    return itemAnswer(item?.code ?? (code === 207 ? null : code));
  });
}

const isAbout = (item: AnswerItem, { name, server_uuid, tag }: NovaEvent): boolean =>
  item.name === name && item.server_uuid === server_uuid && (item.tag ?? tag) === tag;

const meanings: Readonly<Record<number, string>> = {
  400: 'Nova finds the event malformed',
  404: 'Nova knows no such server',
  422: 'the server is on no host',
};

const itemAnswer = (code: number | null): ItemAnswer => ({
  accepted: code !== null && code < 400,
  code,
  detail: code === null ? 'Nova said nothing of this event' : (meanings[code] ?? `code ${code}`),
});

function parseItems(text: string): AnswerItem[] {
  try {
    return Answer.parse(JSON.parse(text)).events;
  } catch {
    return [];
  }
}

/** `Retry-After` as milliseconds: it holds seconds or a date. */
function parseRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}

/** fetch says "fetch failed" and why in its cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message);
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
