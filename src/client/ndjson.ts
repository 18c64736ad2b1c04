import type { Body } from './body.ts';

/**
 * The lines of a body of newline-delimited JSON, parsed. A last line that lacks its line break was cut off and is not
 * given.
 *
 * @throws ConnectionError where the line breaks, or nothing came for `silenceMs`
 */
export async function* parseNdjson<T>(body: Body, silenceMs: number): AsyncGenerator<T, void, undefined> {
  let rest = '';
  try {
    for (let text = await body.read(silenceMs); text !== null; text = await body.read(silenceMs)) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
    }
  } finally {
    await body.cancel();
  }
}
