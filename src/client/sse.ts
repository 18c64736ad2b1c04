import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Body } from './body.ts';

/** The longest message taken; a state is far smaller. A server that never ends one must not fill the memory. */
const maxMessageCharacters = 16 * 1024 * 1024;

/**
 * The messages of one event-stream connection, until the server ends it.
 *
 * @throws ConnectionError where the line breaks, or no sign of life came for `silenceMs`
 */
export async function* parseEventStream(
  body: Body,
  silenceMs: number,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    maxBufferSize: maxMessageCharacters,
  });
  try {
    for (let text = await body.read(silenceMs); text !== null; text = await body.read(silenceMs)) {
      parser.feed(text);
      yield* messages.splice(0);
    }
  } finally {
    await body.cancel();
  }
}
