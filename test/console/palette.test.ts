import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

type Colour = readonly [red: number, green: number, blue: number];

const [light, dark] = readFileSync(new URL('../../console/styles/tokens.css', import.meta.url), 'utf8')
  .split('@media')
  .map(
    (part) => new Map([...part.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, hex]) => [name!, parse(hex!)])),
  );

const themes = [
  ['light', light!],
  ['dark', dark!],
] as const;

const tones = ['fine', 'busy', 'down', 'waiting', 'failed'];

/** Colours as people see them whose eyes lack one of the three receptors (Machado, Oliveira and Fernandes 2009, at full strength). */
const eyes: Readonly<Record<string, readonly Colour[]>> = {
  'all receptors': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

describe.each(themes)('the colours by %s', (_theme, colours) => {
  test.each([...tones, 'text', 'quiet', 'accent'])('%s can be read on every ground (WCAG AA)', (name) => {
    for (const ground of ['panel', 'ground', 'wash']) {
      expect(contrast(colours.get(name)!, colours.get(ground)!), ground).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(tones)('words can be read on a band of %s', (tone) => {
    expect(contrast(colours.get('text')!, colours.get(`${tone}-fill`)!)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(Object.keys(eyes))('no two tones look alike with %s', (which) => {
    for (const suffix of ['', '-fill']) {
      const shown = tones.map((tone) => oklab(seen(which, colours.get(`${tone}${suffix}`)!)));
      shown.forEach((one, index) => {
        shown.slice(index + 1).forEach((other, offset) => {
          const pair = `${tones[index]} and ${tones[index + 1 + offset]}${suffix}`;
          expect(distance(one, other), pair).toBeGreaterThan(twiceNoticeable);
        });
      });
    }
  });
});

/** A difference of 0.02 in Oklab is just noticed, side by side. */
const twiceNoticeable = 0.04;

function parse(hex: string): Colour {
  const channel = (at: number): number => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

const luminance = ([red, green, blue]: Colour): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(a: Colour, b: Colour): number {
  const [bright, dim] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (bright + 0.05) / (dim + 0.05);
}

const dot = (a: Colour, b: Colour): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const seen = (which: string, colour: Colour): Colour => times(eyes[which]!, colour);

/** Colours in a space in which equal distances look equal (Ottosson 2020). */
function oklab(colour: Colour): Colour {
  const [long, medium, short] = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  ).map(Math.cbrt) as unknown as Colour;
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

const times = (matrix: readonly Colour[], colour: Colour): Colour =>
  matrix.map((row) => Math.max(0, dot(row, colour))) as unknown as Colour;

const distance = (a: Colour, b: Colour): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
