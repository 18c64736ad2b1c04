import { readFileSync } from 'node:fs';

/** Ironic's recorded answers. See NOTICE. */
export const vectors = <T>(file: string): T =>
  JSON.parse(readFileSync(new URL(`../../vectors/ironic/${file}`, import.meta.url), 'utf8')) as T;
