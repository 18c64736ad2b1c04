import type { Command, Kind } from '../../client/kinds.ts';
import type { ResourceRef } from '../../domain/kernel/resource.ts';
import { isDone, type Stage } from './stage.ts';

/** One line of a play that was written rather than recorded. */
export interface Line<K extends Kind = Kind> {
  /** How much time passes before it. */
  readonly afterMs?: number;
  readonly by: string;
  readonly to: ResourceRef & { readonly kind: K };
  readonly command: Command<K>;
  /** The refusal it meets, where it meets one. */
  readonly refused?: string;
  /** The undertaking it belongs to. */
  readonly correlationId?: string;
}

/** A line for a resource of one kind, so that its command is one of that kind. */
export const line = <K extends Kind>(spoken: Line<K>): Line => spoken as unknown as Line;

/** A refusal that the play shows. */
export interface Shown {
  readonly at: string;
  readonly by: string;
  readonly command: string;
  readonly status: number;
  readonly slug: string;
  readonly detail: string;
  readonly allowed: readonly string[];
}

/** Plays lines in their order. @returns the refusals, and a sentence for each line that did not go as it was written */
export async function playScene(stage: Stage, lines: readonly Line[]): Promise<{ refused: Shown[]; faults: string[] }> {
  const refused: Shown[] = [];
  const faults: string[] = [];
  for (const { afterMs = 0, by, to, command, refused: expected, correlationId } of lines) {
    await stage.pass(afterMs);
    const outcome = await stage.give(by, to, command as Command<Kind>, correlationId);
    const slug = isDone(outcome) ? undefined : slugOf(outcome.problem.type);
    if (slug !== expected) {
      const became = isDone(outcome) ? 'was carried out' : `was refused: ${outcome.problem.detail}`;
      faults.push(`${command.type} of ${by} on the ${to.kind} ${to.id} ${became}`);
    }
    if (isDone(outcome)) continue;
    const { status, detail = '', allowed = [] } = outcome.problem;
    refused.push({ at: stage.now, by, command: command.type, status, slug: slug!, detail, allowed });
  }
  return { refused, faults };
}

export const slugOf = (type: string): string => type.slice(type.lastIndexOf('/') + 1);

export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => count * 60_000;
