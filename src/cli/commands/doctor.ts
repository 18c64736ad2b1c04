import type { Command } from 'commander';
import type { Kind } from '../../domain/kernel/resource.ts';
import type { Proof } from '../../domain/why/explanation.ts';
import type { Finding } from '../../domain/why/findings.ts';
import { ageAt } from '../output/duration.ts';
import { plural } from '../output/table.ts';
import { curlOf } from '../output/why.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { clientFor, parseKind } from './options.ts';

interface DoctorOptions extends GlobalOptions {
  readonly kind?: Kind;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('what would bite later: leftovers, contradictions, what nobody can lift')
    .description(
      'Looks through everything that lives and tells what is left over, what contradicts itself, what nobody can lift and ' +
        'what stays longer than is usual, each with the events that show it and the command that mends it. With --json: a ' +
        'finding a line.',
    )
    .option('--kind <kind>', 'only ports, servers, nodes, agents or networks', parseKind)
    .action(async (_options: DoctorOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const { kind, ...options } = command.optsWithGlobals<DoctorOptions>();
      let [found, examined] = [0, 0];
      for await (const page of clientFor(options).doctor(kind === undefined ? {} : { kind })) {
        examined += page.examined;
        found += page.findings.length;
        for (const finding of page.findings) {
          if (terminal.json) terminal.document(finding);
          else terminal.print(...lines(finding, page.time, terminal, options.url));
        }
      }
      if (!terminal.json) terminal.print(`${plural(found, 'finding')} in ${plural(examined, 'resource')}.`);
    });
}

function lines(
  { kind, resource, status, since, summary, evidence, advice, command }: Finding<Proof>,
  now: string,
  { style }: Terminal,
  url: string,
): string[] {
  const { bold, cyan, dim, yellow } = style;
  const name = resource.name === null ? resource.id : `${resource.name} (${resource.id})`;
  const shown = evidence.map(({ type, revision }) => `${type} @${revision}`).join(', ');
  return [
    `${yellow(kind)}  ${resource.kind} ${bold(name)}, ${status}`,
    `  ${summary}`,
    dim(`  for ${ageAt(now, since)}${shown === '' ? '' : `; ${shown}`}`),
    ...(advice === null ? [] : [`  ${advice}`]),
    ...(command ? [`  ${cyan(curlOf(url, command))}`] : []),
    '',
  ];
}
