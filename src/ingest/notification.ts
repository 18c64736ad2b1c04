/** What an OpenStack service says on its message bus, out of its wrapping. */
export interface Notification {
  /** Unique for the message; null in recordings that were made without it. */
  readonly messageId: string | null;
  readonly publisherId: string;
  readonly eventType: string;
  /** When it was sent: RFC 3339 in UTC; null where that is not said. */
  readonly timestamp: string | null;
  readonly payload: Fields;
}

export type Fields = { readonly [field: string]: unknown };

/** A message that is no notification, or not a whole one. */
export class Unintelligible extends Error {
  override readonly name = 'Unintelligible';
}

/** JSON in JSON, as often as middleware is known to do it, and once more. */
const deepestWrapping = 5;

/**
 * Takes a notification out of its wrapping: JSON as text, `oslo.message` inside `oslo.version`, the payload as text, and
 * the objects with a version that Nova (`nova_object.data`) and Ironic (`ironic_object.data`) wrap payloads in.
 *
 * @throws Unintelligible
 */
export function parseNotification(message: unknown): Notification {
  const envelope = unwrapped(message);
  const { event_type: eventType, publisher_id: publisherId, message_id: messageId, timestamp } = envelope;
  if (typeof eventType !== 'string' || eventType === '') throw new Unintelligible('It has no event_type.');
  const payload = withoutVersions(parsed(envelope.payload));
  if (!isObject(payload)) throw new Unintelligible(`The payload of ${eventType} is no object.`);
  return {
    messageId: typeof messageId === 'string' && messageId !== '' ? messageId : null,
    publisherId: typeof publisherId === 'string' ? publisherId : '',
    eventType,
    timestamp: timeOf(timestamp),
    payload,
  };
}

function unwrapped(message: unknown): Fields {
  let inner = message;
  for (let depth = 0; depth < deepestWrapping; depth++) {
    inner = parsed(inner);
    if (!isObject(inner)) throw new Unintelligible('It is no JSON object.');
    if (!('oslo.message' in inner)) return inner;
    inner = inner['oslo.message'];
  }
  throw new Unintelligible(`It is wrapped more than ${deepestWrapping} times.`);
}

/** Text is JSON that somebody encoded once more. */
function parsed(value: unknown): unknown {
  let inner = value;
  for (let depth = 0; typeof inner === 'string' && depth < deepestWrapping; depth++) {
    try {
      inner = JSON.parse(inner);
    } catch {
      throw new Unintelligible('It is no JSON.');
    }
  }
  return inner;
}

const versioned = /^[a-z]+_object\.data$/;

function withoutVersions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVersions);
  if (!isObject(value)) return value;
  const wrapped = Object.keys(value).find((field) => versioned.test(field));
  if (wrapped !== undefined) return withoutVersions(value[wrapped]);
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, withoutVersions(inner)]));
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** OpenStack writes times with a space or a `T`, with a zone or, meaning UTC, without one. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const [, date, clock, zone] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/.exec(value) ?? [];
  const time = new Date(`${date}T${clock}${zone ?? 'Z'}`);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
