import { formatDuration } from '../output/duration.ts';
import type { Style } from '../output/style.ts';
import { type Column, formatCount, formatTable, plural, shorten } from '../output/table.ts';
import type {
  BareMetalScene,
  ChainScene,
  Life,
  PortsScene,
  RecordingScene,
  ReplayScene,
  Scene,
  Wait,
} from './scenes.ts';

/** Columns to write in. */
const width = 100;
const indent = '  ';

type Act = Scene['act'];

const acts: Readonly<Record<Act, { readonly title: string; readonly about: string }>> = {
  nova: {
    title: 'Act 1: runs of a real Nova',
    about:
      'What was asked of a Nova, and what its services told meanwhile, was recorded. Here each request and each notification becomes a command, at the time it was sent (Nova tells whole seconds), and what is shown at each step is compared with what Nova showed: the server as its API had it, to the same microversion, and every row of its database.',
  },
  'bare-metal': {
    title: 'Act 2: a bare-metal node, from its first day to its second user',
    about:
      'A node is enrolled, cleaned and deployed. Its ramdisk never calls back, so the clock gives the deployment up after half an hour; the second attempt succeeds. In the end it is given back and cleaned. Time is simulated: the four hours pass in a moment.',
  },
  ports: {
    title: 'Act 3: ports on two hosts',
    about:
      'Each port waits for an L2 agent and a DHCP agent that know nothing of each other. One gets its reports in reverse order. One waits, since the agent of its host has fallen silent, and says so. Then 200 ports get both reports at the same time, over two connections.',
  },
  chain: {
    title: 'Act 4: from a request to the machine',
    about:
      'No host has room for a server, so it is PENDING. The example reaper, a program of its own, sends a preemptible server away and has the other one built again. Its machine is cleaned and deployed; meanwhile the agent that should wire its port dies. The boot waits for the port for five minutes and goes on without it. When the agent is back the port is wired, too.',
  },
  replay: {
    title: 'Act 5: the same again, from the log alone',
    about:
      'The server is stopped. Every event of the ledger is folded from nothing, and each state that comes of it is compared, byte for byte, with what the server showed last.',
  },
};

/** What the recordings come to, all together. */
export function totalOf(scenes: readonly Scene[]): string[] {
  const recordings = scenes.filter((scene) => scene.act === 'nova');
  const differences = recordings.flatMap((scene) => scene.differences);
  const meant = differences.filter(({ reason }) => reason !== null).length;
  const total = { answers: 0, servers: 0, lists: 0, rows: 0 };
  for (const { compared } of recordings) {
    for (const sort of Object.keys(total) as (keyof typeof total)[]) total[sort] += compared[sort];
  }
  const found = `${plural(meant, 'difference')} on purpose, ${differences.length - meant} otherwise`;
  return wrap(`${plural(recordings.length, 'recording')}: ${sumOf(total)} compared; ${found}.`, '');
}

/** Prints scenes as they come, each act under its heading. */
export class Playbill {
  readonly #style: Style;
  #act: Act | null = null;

  constructor(style: Style) {
    this.#style = style;
  }

  lines(scene: Scene): string[] {
    const heading = scene.act === this.#act ? [] : this.#heading(scene.act);
    this.#act = scene.act;
    return [...heading, '', ...this.#body(scene)];
  }

  #heading(act: Act): string[] {
    const { title, about } = acts[act];
    return ['', this.#style.bold(title), ...wrap(about, '')];
  }

  #body(scene: Scene): string[] {
    switch (scene.act) {
      case 'nova':
        return this.#recording(scene);
      case 'bare-metal':
        return this.#bareMetal(scene);
      case 'ports':
        return this.#ports(scene);
      case 'chain':
        return this.#chain(scene);
      case 'replay':
        return this.#replay(scene);
    }
  }

  #recording({ name, description, resources, compared, refused, differences }: RecordingScene): string[] {
    const { bold, dim } = this.#style;
    const alike = refused.filter((refusal) => refusal.alike);
    const sum = `Compared: ${sumOf(compared)}`;
    const unmeant = differences.filter(({ reason }) => reason === null);
    return [
      bold(name),
      ...wrap(description, '').map(dim),
      ...this.#lives(resources),
      ...(alike.length > 0 ? wrap(`Refused, as by Nova: ${refusals(alike)}.`, indent) : []),
      this.#verdict(unmeant.length === 0, differences.length === 0 ? `${sum}; all as in Nova.` : `${sum}.`),
      ...this.#meant(differences),
      ...unmeant.flatMap((difference) => this.#fault(JSON.stringify(difference))),
    ];
  }

  /** Differences that are meant, told once each. */
  #meant(differences: RecordingScene['differences']): string[] {
    const counts = new Map<string, number>();
    for (const { explanation } of differences)
      if (explanation !== null) counts.set(explanation, (counts.get(explanation) ?? 0) + 1);
    return [...counts].flatMap(([explanation, count]) =>
      hang(`${this.#style.yellow('≠')} ${plural(count, 'difference')} on purpose. ${explanation}`, `${indent}  `),
    );
  }

  #bareMetal({ resources, refused, faults, ok }: BareMetalScene): string[] {
    return [
      ...this.#lives(resources),
      ...refused.flatMap(({ at, by, status, slug, detail, allowed }) =>
        wrap(
          `${at.slice(11, 19)} ${by} is refused, ${status} ${slug}: ${detail}${allowed.length > 0 ? ` Allowed: ${allowed.join(', ')}.` : ''}`,
          indent,
        ),
      ),
      this.#verdict(ok, 'Every transition is one of the state machine, and the node is available again.'),
      ...faults.flatMap((fault) => this.#fault(fault)),
    ];
  }

  #ports({ resources, waits, race, faults, ok }: PortsScene): string[] {
    const measured =
      'Neutron 2025.1 on MariaDB, measured in the same way, lost the announcement of 196 of 200 such ports: they stayed DOWN.';
    return [
      ...this.#lives(resources),
      ...waits.flatMap((wait) => wrap(waitSentence(wait), indent)),
      this.#verdict(ok, `${race.active} of ${race.ports} ports whose reports raced are ACTIVE.`),
      ...wrap(measured, `${indent}  `),
      ...faults.flatMap((fault) => this.#fault(fault)),
    ];
  }

  #chain({ correlationId, resources, bystanders, reaper, faults, ok }: ChainScene): string[] {
    return [
      ...wrap(`All that belongs to ${correlationId}:`, indent),
      ...this.#lives(resources),
      ...wrap('And to others, meanwhile:', indent),
      ...this.#lives(bystanders),
      ...reaper.flatMap((said) => wrap(`The reaper: ${said}`, indent)),
      this.#verdict(ok, 'One id leads from the request to the last event of the port and the node.'),
      ...faults.flatMap((fault) => this.#fault(fault)),
    ];
  }

  #replay({ events, resources, tookMs, commands, differing, findings, ok }: ReplayScene): string[] {
    const rate = formatCount(Math.round(events / (tookMs / 1000)));
    const took = `${formatDuration(tookMs)} (${rate} a second)`;
    return [
      `${indent}${plural(commands, 'command')} led to ${plural(events, 'event')} of ${plural(resources, 'resource')}, folded again in ${took}.`,
      this.#verdict(
        differing.length === 0,
        `${plural(resources - differing.length, 'state')} of ${formatCount(resources)} the same, byte for byte.`,
      ),
      this.#verdict(findings === 0, `${plural(findings, 'fault')} in the ledger's hash chains, schemas and receipts.`),
      ...(ok ? [] : differing.flatMap((stream) => this.#fault(`${stream} differs`))),
    ];
  }

  #lives(lives: readonly Life[]): string[] {
    return lives.flatMap(({ kind, id, timeline }) => {
      const rows = timeline.map(({ time, afterMs, state, command, by }) => [
        time.slice(11, 19),
        afterMs ? formatDuration(afterMs) : '',
        state,
        command,
        by,
      ]);
      const [header = '', ...lines] = formatTable(columns, rows).map((line) => shorten(`${indent}${line}`, width));
      return [
        this.#style.cyan(`${indent}${kind} ${id}, ${timeline[0]?.time.slice(0, 10)}`),
        this.#style.dim(header),
        ...lines.flatMap((line, index) => [line, ...this.#trouble(timeline[index]!.trouble)]),
      ];
    });
  }

  #trouble(trouble: string | null): string[] {
    return trouble === null ? [] : wrap(trouble.trim(), `${indent}${' '.repeat(10)}`).map(this.#style.red);
  }

  #verdict(ok: boolean, sentence: string): string {
    return `${indent}${ok ? this.#style.green('✓') : this.#style.red('✗')} ${sentence}`;
  }

  #fault(text: string): string[] {
    return hang(`${this.#style.red('✗')} ${text}`, `${indent}  `);
  }
}

const columns: readonly Column[] = [
  { title: 'time' },
  { title: 'after', align: 'right' },
  { title: 'state', maxWidth: 38 },
  { title: 'command', maxWidth: 30 },
  { title: 'by' },
];

/** `16 answers, 5 views of a server` */
const sumOf = (compared: RecordingScene['compared']): string =>
  [
    [compared.answers, 'answer', 'answers'] as const,
    [compared.servers, 'view of a server', 'views of a server'] as const,
    [compared.lists, 'list', 'lists'] as const,
    [compared.rows, 'database row', 'database rows'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => plural(count, one, many))
    .join(', ');

const waitSentence = ({ portId, entity, host, since, lastedMs, agent, alive, lastHeardAt }: Wait): string =>
  `The port ${portId} waits for ${entity}${host === null ? '' : ` of ${host}`} since ${since.slice(11, 19)} (${formatDuration(lastedMs)}); the agent ${agent} is ${alive ? 'alive' : 'lost'}, and was last heard at ${lastHeardAt.slice(11, 19)}.`;

/** `409 StopServer ×2, StartServer; 400 ResetServerState` */
function refusals(refused: RecordingScene['refused']): string {
  const byStatus = new Map<number, Map<string, number>>();
  for (const { status, command } of refused) {
    const commands = byStatus.get(status) ?? new Map<string, number>();
    byStatus.set(status, commands.set(command, (commands.get(command) ?? 0) + 1));
  }
  return [...byStatus]
    .map(([status, commands]) => {
      const list = [...commands].map(([command, count]) => (count === 1 ? command : `${command} ×${count}`));
      return `${status} ${list.join(', ')}`;
    })
    .join('; ');
}

/** Text in lines that fit, each after a margin. */
function wrap(text: string, margin: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && margin.length + line.length + 1 + word.length > width) {
      lines.push(`${margin}${line}`);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, `${margin}${line}`];
}

/** The same, its first line two columns further to the left, for the sign it begins with. */
const hang = (text: string, margin: string): string[] =>
  wrap(text, margin).map((line, index) => (index === 0 ? line.slice(2) : line));
