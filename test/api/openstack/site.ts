import { randomUUID } from 'node:crypto';
import { aggregates } from '../../../src/domain/aggregates.ts';
import { encode } from '../../../src/domain/kernel/events.ts';
import { past, type RecordedNode } from '../../domain/node/recorded.ts';
import { type Answer, sharedLedger } from '../support.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');

/** However busy the machine is, read models are waited for. */
export const patient = ['--read-wait-ms', '25000'];

/** A ledger with its bare metal, in the words of Ironic's clients. */
export function sharedBaremetal(flags: readonly string[] = []) {
  const shared = sharedLedger([...patient, ...flags]);

  const ask = (method: string, path: string, body?: unknown, version = '1.115'): Promise<Answer> =>
    shared().ask(`/baremetal/v1/${path}`, {
      method,
      headers: {
        'x-openstack-ironic-api-version': version,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  /** A node as a recording says it was, by whatever way it came there. */
  async function recorded(row: RecordedNode, id: string = randomUUID()): Promise<string> {
    const metadata = JSON.stringify({ actor: { type: 'user', id: 'recording' } });
    const events = past(row).map((event, index) => {
      const { type, v, data } = encode(aggregates.node.events, event);
      const time = new Date(start + index).toISOString();
      return { id: randomUUID(), type, v, time, data: JSON.stringify(data), metadata };
    });
    await shared().store.append({ stream: `node-${id}`, expectedRevision: -1, events });
    return id;
  }

  /** Whoever works on the node tells how it came out. */
  async function finishWork(id: string): Promise<void> {
    for (let reports = 0; reports < 3; reports++) {
      const { provisionState, reservation } = (await shared().get(`/v1/nodes/${id}`)).body;
      if (reservation === null) return;
      const event = provisionState === 'deleting' && reservation.kind === 'provision' ? 'clean' : 'done';
      const data = { event, token: reservation.token };
      await shared().post(`/v1/nodes/${id}/commands`, { type: 'ReportProvisionEvent', data });
    }
  }

  return { shared, ask, recorded, finishWork };
}

/** The fault an answer tells of; null where it tells of none. */
export const faultOf = ({ body }: Answer): string | null =>
  body?.error_message === undefined ? null : JSON.parse(body.error_message).fault;

/** Runs something for each row, several at a time, and gives the results in order. */
export async function forEach<R, T>(rows: readonly R[], run: (row: R) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  const left = rows.map((row, index) => ({ row, index }));
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) results[next.index] = await run(next.row);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return results;
}
