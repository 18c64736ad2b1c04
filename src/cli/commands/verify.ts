import type { Command } from 'commander';
import { aggregates } from '../../domain/aggregates.ts';
import { anchorLines } from '../../runtime/anchors/anchor-keeper.ts';
import { readAnchorPublicKey } from '../../runtime/anchors/anchor-key.ts';
import { parsePosition } from '../../store/event-store.ts';
import { openStore } from '../../store/open-store.ts';
import { withoutPassword } from '../../without-password.ts';
import { exitCodes, UsageError } from '../failure.ts';
import { formatDuration } from '../output/duration.ts';
import type { Style } from '../output/style.ts';
import { formatCount, formatPairs, plural } from '../output/table.ts';
import { showProgress } from '../progress.ts';
import { type GlobalOptions, Terminal } from '../terminal.ts';
import { comparisonWith } from '../verify/compare-with-server.ts';
import type { Finding } from '../verify/finding.ts';
import { type AnchorsGiven, type Verification, verifyLedger } from '../verify/verify-ledger.ts';
import { clientFor, parseCount, storeOption } from './options.ts';

interface VerifyOptions extends GlobalOptions {
  readonly store: string;
  readonly sample?: number | 'all';
  readonly anchors?: string;
  readonly anchorKey?: string;
}

export function addVerify(program: Command): void {
  program
    .command('verify')
    .summary('check every event, the hash chains, snapshots and receipts of a ledger')
    .description(
      'Reads a whole ledger, also beside a running server, and checks that nothing in it was altered, removed, slipped in ' +
        'or reordered, and that the events still lead to the states that are kept. With --url, the states that the server ' +
        'shows are compared too. Exits with 1 where something is wrong.',
    )
    .addOption(storeOption())
    .option('--sample <count>', 'with --url: resources to compare, or "all"', parseSample, 1000)
    .option('--anchors <file>', 'anchors that the server made of this ledger')
    .option('--anchor-key <file>', 'the key they were signed with, or its public half, as PEM')
    .action(async (options: VerifyOptions, command: Command) => {
      const terminal = Terminal.of(command);
      const began = performance.now();
      const verification = await run(command.optsWithGlobals(), terminal, isUrlGiven(command));
      const took = performance.now() - began;
      if (terminal.json) terminal.document({ ok: verification.findingCount === 0, ...verification });
      else terminal.print(...describe(verification, options.store, took, terminal));
      if (verification.findingCount > 0) process.exitCode = exitCodes.failed;
    });
}

/** An address that merely stands in the environment does not mean that its server keeps this very ledger. */
const isUrlGiven = (command: Command): boolean => command.getOptionValueSourceWithGlobals('url') === 'cli';

const parseSample = (text: string): number | 'all' => (text === 'all' ? text : parseCount(text));

async function run(options: VerifyOptions, { json }: Terminal, compare: boolean): Promise<Verification> {
  const store = await openStore(options.store, { readOnly: true });
  const progress = showProgress('verifying', parsePosition(await store.head()), json);
  try {
    const compareStates = compare ? comparisonWith(clientFor(options), aggregates, options.sample ?? 'all') : null;
    return await verifyLedger(
      store,
      aggregates,
      compareStates,
      (events) => progress.update(events),
      await anchorsOf(options),
    );
  } finally {
    progress.stop();
    await store.close();
  }
}

async function anchorsOf({ anchors, anchorKey }: VerifyOptions): Promise<AnchorsGiven | null> {
  if (anchors === undefined && anchorKey === undefined) return null;
  if (anchors === undefined || anchorKey === undefined) throw new UsageError('Give both --anchors and --anchor-key.');
  return { lines: anchorLines(anchors), key: await readAnchorPublicKey(anchorKey) };
}

function describe(verification: Verification, url: string, tookMs: number, { style }: Terminal): string[] {
  const { ledger, events, streams, receipts, snapshots, unknownTypes, compared, findings, findingCount } = verification;
  const { anchors, halfAnchors } = verification;
  const unknown = Object.entries(unknownTypes).map(([type, count]) => `${type} (${formatCount(count)})`);
  const facts = formatPairs([
    ['ledger', `${ledger.ledgerId}, ${withoutPassword(url)}, created ${ledger.createdAt}`],
    ['events', `${formatCount(events)} in ${plural(streams, 'stream')}`],
    ['receipts', formatCount(receipts)],
    ['snapshots', `${formatCount(snapshots.compared)}${ignoredNote(snapshots.ignored)}`],
    ...(unknown.length > 0 ? [['unknown', unknown.join(', ')] as const] : []),
    ...(compared === null ? [] : [['compared', `${plural(compared, 'resource')} with the server`] as const]),
    ...(anchors === null ? [] : [['anchors', `${formatCount(anchors)}${halvesNote(halfAnchors)}`] as const]),
  ]);
  const more = findingCount - findings.length;
  const verdict =
    findingCount === 0
      ? style.green(`Everything is as it was recorded. (${formatDuration(tookMs)})`)
      : style.red(`${plural(findingCount, 'fault')} found. (${formatDuration(tookMs)})`);
  return [
    ...facts,
    '',
    ...findings.flatMap((finding) => describeFinding(finding, style)),
    ...(more > 0 ? [`… and ${formatCount(more)} more.`, ''] : []),
    verdict,
  ];
}

const ignoredNote = (ignored: number): string =>
  ignored > 0 ? `, and ${formatCount(ignored)} of another version of the fold, which are not used` : '';

const halvesNote = (halves: number): string =>
  halves > 0 ? `, and ${formatCount(halves)} that broke off as they were written, which count for nothing` : '';

function describeFinding({ check, stream, revision, position, detail }: Finding, { red, bold }: Style): string[] {
  const places = [revision >= 0 && `revision ${revision}`, position !== '' && `position ${position}`].filter(Boolean);
  const where = `${stream === '' ? 'the ledger' : stream}`;
  return [`${red('✗')} ${bold(where)}  ${places.join(', ')}: ${red(check)}`, `    ${detail}`, ''];
}
