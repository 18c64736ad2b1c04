import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import type { Fault } from './fault.ts';

/** How often a change is made anew when others keep changing the thing under it: each time one of them gets through. */
const maxAttempts = 50;

/**
 * Carries out a change that is made of what was read, and so counts only while the thing is that: a command with the
 * revision that was read. Where others were faster, all of it is done again.
 * @throws Fault where they are so every time
 */
export async function changeAsRead<T>(
  { headers }: FastifyRequest,
  change: () => Promise<T>,
  overtaken: () => Fault,
): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    try {
      return await change();
    } catch (error) {
      const isOvertaken = error instanceof Problem && error.slug === 'revision-mismatch';
      // A caller's own `If-Match` is about the revision that the caller read.
      if (headers['if-match'] !== undefined || !isOvertaken) throw error;
    }
  }
  throw overtaken();
}
