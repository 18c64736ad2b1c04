import type { Body } from './body.ts';

/** The lines of a body of newline-delimited JSON, parsed. A last line that lacks its line break was cut off and is not given. */
export async function* parseNdjson<T>(body: Body): AsyncGenerator<T, void, undefined> {
  let rest = '';
  try {
    for (let text = await body.read(); text !== null; text = await body.read()) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
    }
  } finally {
    await body.cancel();
  }
}
