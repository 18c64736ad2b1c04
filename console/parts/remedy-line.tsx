import type { Why } from '../../src/client/index.ts';
import { curlOf } from '../lib/curl.ts';
import { CommandLine } from './command-line.tsx';

type Remedy = NonNullable<Why['hints'][number]['command']>;

/** What mends it, as a line for a shell. */
export const RemedyLine = ({ remedy: { path, body } }: { readonly remedy: Remedy }) => (
  <CommandLine text={curlOf(path, body)} />
);
