/** Commands over HTTP: one at a time beside a bare route, many in one request beside raw SQLite. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { type Line, rate, sideBySide } from './support/measure.ts';
import { type ServerProcess, startBareRoute, startServer } from './support/processes.ts';
import { EventRows } from './support/same-rows.ts';
import { portId } from './support/sample-ledger.ts';
import { cpuByThread } from './support/thread-cpu.ts';

const rounds = 3;
const secondsARound = 4;
const ports = 256;
const json = { 'content-type': 'application/json' };

/** Single commands, each a change of its port, `connections` at a time. Commands a second. */
async function singleCommands(url: string, connections: number): Promise<number> {
  let change = 0;
  const result = await autocannon({
    url,
    connections,
    duration: secondsARound,
    requests: [
      {
        method: 'POST',
        headers: json,
        setupRequest: (request) => {
          const n = change++;
          const path = `/v1/ports/${portId(n % ports)}/commands`;
          return { ...request, path, body: JSON.stringify({ type: 'UpdatePort', data: { name: `change ${n}` } }) };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
  return result.requests.average;
}

/** What a command costs, wherever it is spent: the figures that are left when the machine is larger or busier. */
async function costOf(what: string, server: ServerProcess, connections: number): Promise<string> {
  let commands = 0;
  const own = process.cpuUsage();
  const byThread = await cpuByThread(server.pid, async () => {
    commands = (await singleCommands(server.url, connections)) * secondsARound;
  });
  const { user, system } = process.cpuUsage(own);
  const each = (microseconds: number): string => (microseconds / commands).toFixed(0);
  const main = byThread.get(String(server.pid))!;
  byThread.delete(String(server.pid));
  const others = [...byThread.values()].sort((a, b) => b - a);
  const busiest = others.filter((used) => used / commands >= 1).map(each);
  return `CPU, us: ${what} ${each(main)}${busiest.length ? `, other threads ${busiest.join(' ')}` : ''}, load ${each(user + system)}`;
}

async function bulkCommands(url: string, lines: readonly string[]): Promise<void> {
  const response = await fetch(`${url}/v1/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const verdicts = (await response.text()).trimEnd().split('\n');
  const bad = verdicts.find((verdict) => !verdict.includes('"status":200'));
  if (verdicts.length !== lines.length || bad) throw new Error(`${verdicts.length} verdicts, one of them ${bad}`);
}

const bulkLine = (n: number, type: string, data: object): string =>
  JSON.stringify({ kind: 'port', id: portId(n), type, data });

const creations = Array.from({ length: ports }, (_, n) => bulkLine(n, 'CreatePort', {}));

export async function httpLines(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stackledger-bench-'));
  const ledger = join(folder, 'ledger.db');
  const server = await startServer(['--store', `sqlite:${ledger}`]);
  const bare = await startBareRoute();
  const storing = await startBareRoute(join(folder, 'storing.db'));
  const same = await EventRows.of(ledger, join(folder, 'same.db'));
  try {
    await bulkCommands(server.url, creations);
    const lines: Line[] = [];
    for (const connections of [1, 64, 256]) {
      const { ours, baseline, ratio } = await sideBySide(
        rounds,
        () => singleCommands(server.url, connections),
        () => singleCommands(bare.url, connections),
      );
      const looked = connections === 64;
      const note = looked && [
        await costOf('main thread', server, connections),
        await costOf('bare', bare, connections),
      ];
      lines.push({
        what: `single commands over HTTP, ${connections} connections`,
        unit: 'commands/s',
        ours,
        baseline: { what: 'bare Fastify route', value: baseline },
        ratio,
        ...(note && { wanted: 0.85, note: note.join('; ') }),
      });
      const inserts = await same.write(connections * 80 + 4_000, connections);
      lines.push({
        what: `  the same, ${connections} connections`,
        unit: 'commands/s',
        ours,
        baseline: { what: `the same rows, raw, ${connections} a transaction`, value: inserts },
      });
      if (looked) {
        const floor = await sideBySide(
          rounds,
          () => singleCommands(storing.url, connections),
          () => singleCommands(bare.url, connections),
        );
        lines.push({
          what: '  the bare route, where it inserts a row and nothing else',
          unit: 'commands/s',
          ours: floor.ours,
          baseline: { what: 'bare Fastify route', value: floor.baseline },
          ratio: floor.ratio,
          note: await costOf('main thread', storing, connections),
        });
      }
    }

    let change = 0;
    const batch = 30_000;
    const bulk = () =>
      Array.from({ length: batch }, (_, n) => bulkLine(n % ports, 'UpdatePort', { name: `bulk ${change++}` }));
    const { ours, baseline, ratio } = await sideBySide(
      rounds,
      async () => {
        const commands = bulk();
        return rate(batch, () => bulkCommands(server.url, commands));
      },
      () => same.write(batch, ports),
    );
    lines.push({
      what: 'bulk NDJSON commands',
      unit: 'commands/s',
      ours,
      baseline: { what: `the same rows, raw, ${ports} a transaction`, value: baseline },
      ratio,
      wanted: 0.4,
    });
    return lines;
  } finally {
    await Promise.all([server.stop(), bare.stop(), storing.stop()]);
    same.close();
    rmSync(folder, { recursive: true });
  }
}
