import { readdirSync, readFileSync } from 'node:fs';

/** The threads of this process, as Linux numbers them. */
export const threads = (): string[] => readdirSync('/proc/self/task');

export const mainThread = String(process.pid);

/** Microseconds of CPU that these threads have used. */
export const cpuOf = (some: readonly string[]): number =>
  some.reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1000;

const nanoseconds = (thread: string): number =>
  Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
