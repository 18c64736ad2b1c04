/**
 * Where a thread begins: the file `name` beside the module `from`, which passes its own `import.meta.url`.
 *
 * Built, that file is JavaScript. Under vitest and tsx it is TypeScript, and a thread does not inherit the means to run
 * that: it first registers tsx, a tool of development, for itself.
 */
export function threadEntry(from: string, name: string): URL {
  if (!from.endsWith('.ts')) return new URL(`./${name}.js`, from);
  const tsx = import.meta.resolve('tsx/esm/api');
  const entry = new URL(`./${name}.ts`, from);
  const script = `import { register } from '${tsx}'; register(); await import('${entry}');`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}
