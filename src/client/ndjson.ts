/** The lines of a body of newline-delimited JSON, one parsed value each. A last line without its line break is not given. */
export async function* parseNdjson<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
