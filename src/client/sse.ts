import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The longest message taken; a state is far smaller. A server that never ends one must not fill the memory. */
const maxMessageCharacters = 16 * 1024 * 1024;

/** Thrown where a server that should send a sign of life every few seconds has sent none. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** The messages of one event-stream connection, until the server ends it or has been silent for too long. */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    maxBufferSize: maxMessageCharacters,
  });
  try {
    for (;;) {
      const { value, done } = await within(silenceMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* messages.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilenceError(`Nothing came for ${milliseconds} ms.`)), milliseconds);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
