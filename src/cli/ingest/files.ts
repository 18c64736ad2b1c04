import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Message } from './message.ts';

/**
 * The messages of files, one after the other; `-` is standard input. A file holds a message a line, or one JSON document:
 * an array of messages, or a single one.
 */
export async function* messagesOf(
  files: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  for (const file of files) {
    if (signal.aborted) return;
    const [input, name] = file === '-' ? [process.stdin, 'standard input'] : [createReadStream(file), file];
    yield* messagesIn(input, name, signal);
  }
}

async function* messagesIn(
  input: Readable,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const document: string[] = [];
  let number = 0;
  for await (const text of reader) {
    if (signal.aborted) return;
    number++;
    const begins = number === 1 && opensDocument(text);
    if (begins || document.length > 0) document.push(text);
    else if (text.trim() !== '') yield { content: text, place: `${name}:${number}` };
  }
  yield* messagesInDocument(document, name);
}

/** A line that is a JSON object is a message. One that only begins something is the first of a document. */
const opensDocument = (line: string): boolean =>
  /^\s*\[/.test(line) || (/^\s*\{/.test(line) && parsed(line) === undefined);

function* messagesInDocument(lines: readonly string[], name: string): Generator<Message, void, undefined> {
  const content = parsed(lines.join('\n'));
  if (Array.isArray(content)) {
    for (const [index, message] of content.entries()) yield { content: message, place: `${name}[${index}]` };
  } else if (content !== undefined) {
    yield { content, place: name };
  } else {
    // It only looked like a document: its first line is broken, and the others may be well.
    for (const [index, text] of lines.entries()) yield { content: text, place: `${name}:${index + 1}` };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
