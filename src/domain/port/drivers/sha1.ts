const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** The message padded to whole blocks of 64 bytes, as words of 32 bits. */
function wordsOf(text: string): number[] {
  const message = new TextEncoder().encode(text);
  const bytes = [...message, 0x80];
  while (bytes.length % 64 !== 56) bytes.push(0);
  const words: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    words.push((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!);
  }
  return [...words, 0, message.length * 8];
}

/** The function and constant of each of SHA-1's four stages of twenty rounds (FIPS 180-4). */
const stages: readonly [(b: number, c: number, d: number) => number, number][] = [
  [(b, c, d) => (b & c) | (~b & d), 0x5a827999],
  [(b, c, d) => b ^ c ^ d, 0x6ed9eba1],
  [(b, c, d) => (b & c) | (b & d) | (c & d), 0x8f1bbcdc],
  [(b, c, d) => b ^ c ^ d, 0xca62c1d6],
];

/** SHA-1 in hexadecimal. For names that agents derive in the same way; it protects nothing. */
export function sha1(text: string): string {
  const words = wordsOf(text);
  const hash = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let block = 0; block < words.length; block += 16) {
    const schedule = words.slice(block, block + 16);
    for (let t = 16; t < 80; t++) {
      schedule.push(rotate(schedule[t - 3]! ^ schedule[t - 8]! ^ schedule[t - 14]! ^ schedule[t - 16]!, 1));
    }
    let [a, b, c, d, e] = hash as [number, number, number, number, number];
    schedule.forEach((word, t) => {
      const [mix, constant] = stages[Math.floor(t / 20)]!;
      const next = (rotate(a, 5) + mix(b, c, d) + e + constant + word) | 0;
      [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
    });
    [a, b, c, d, e].forEach((word, index) => {
      hash[index] = (hash[index]! + word) | 0;
    });
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
