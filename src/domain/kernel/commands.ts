import type { z } from 'zod';

/** The commands of one kind of resource: a zod schema each, for the data that comes with the command. */
export type CommandSchemas = Record<string, z.ZodType>;

/** The union of `{type, data}` that a set of command schemas describes, as a decision sees it (defaults filled in). */
export type CommandOf<C extends CommandSchemas> = {
  [T in keyof C & string]: { type: T; data: z.output<C[T]> };
}[keyof C & string];

/** The same as a caller writes it (defaults may be left out). */
export type CommandInput<C extends CommandSchemas> = {
  [T in keyof C & string]: { type: T; data: z.input<C[T]> };
}[keyof C & string];
