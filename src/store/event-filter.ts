import type { EventFilter } from './event-store.ts';

/** Whether an event of this stream and type passes a filter. Every condition given must hold; an empty list admits nothing. */
export type EventMatcher = (event: { readonly stream: string; readonly type: string }) => boolean;

export function matcherOf(filter: EventFilter | undefined): EventMatcher {
  const { stream, streamPrefixes, types } = filter ?? {};
  const typeSet = types && new Set(types);
  return (event) =>
    (stream === undefined || event.stream === stream) &&
    (typeSet === undefined || typeSet.has(event.type)) &&
    (streamPrefixes === undefined || streamPrefixes.some((prefix) => event.stream.startsWith(prefix)));
}
