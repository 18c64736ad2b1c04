import { curlOf } from '../../../lib/curl.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import type { Remedy } from './answer.ts';

/** What mends it, as a line for a shell. */
export const RemedyLine = ({ remedy: { path, body } }: { readonly remedy: Remedy }) => (
  <CommandLine text={curlOf(path, body)} />
);
