import { readdirSync, readFileSync } from 'node:fs';

/** The threads of a process, by default this one, as Linux numbers them. */
export const threads = (process: number | 'self' = 'self'): string[] => readdirSync(`/proc/${process}/task`);

export const mainThread = String(process.pid);

/** Microseconds of CPU that these threads of a process have used. */
export const cpuOf = (some: readonly string[], process: number | 'self' = 'self'): number =>
  some.reduce((sum, thread) => sum + nanoseconds(thread, process), 0) / 1000;

const nanoseconds = (thread: string, process: number | 'self'): number =>
  Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);

/** What some work costs each thread of a process: microseconds of CPU, by thread. */
export async function cpuByThread(process: number, work: () => Promise<unknown>): Promise<Map<string, number>> {
  const used = (): Map<string, number> => new Map(threads(process).map((thread) => [thread, cpuOf([thread], process)]));
  const before = used();
  await work();
  return new Map([...used()].map(([thread, after]) => [thread, after - (before.get(thread) ?? 0)]));
}
