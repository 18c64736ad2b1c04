const iso8601 =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

const unitsMs = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1_000];

/**
 * An ISO 8601 duration in milliseconds; null where the text is none. Months and years have no fixed length and are not
 * taken.
 *
 * @example
 * parseDuration('PT75S'); // 75000
 * parseDuration('P1DT2H'); // 93600000
 */
export function parseDuration(text: string): number | null {
  const [, ...amounts] = iso8601.exec(text.replace(',', '.')) ?? [];
  if (amounts.every((amount) => amount === undefined) || text.endsWith('T')) return null;
  const milliseconds = amounts.reduce((sum, amount, unit) => sum + Number(amount ?? 0) * unitsMs[unit]!, 0);
  return Math.round(milliseconds);
}
