import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { type Stackledger, startStackledger } from '../../src/main.ts';
import { blocksSequences, commandOf, RoundModel } from '../support/blocks-vectors.ts';
import { nthId } from '../support/ledger.ts';
import { clientOf } from './support.ts';

describe("Neutron's provisioning blocks, step by step over HTTP", () => {
  let ledger: Stackledger;
  beforeAll(async () => {
    ledger = await startStackledger(
      loadConfig(['--port', '0', '--store', 'memory:', '--clock', 'manual', '--log-level', 'silent'], {}),
    );
  });
  afterAll(() => ledger.stop());

  let ports = 0;

  test.each(blocksSequences)('$name', async ({ initialPorts, steps }) => {
    const { post } = clientOf(ledger.url);
    const named = new Map<string, { id: string; model: RoundModel; alive: boolean }>();
    const portOf = (name: string) => {
      const known = named.get(name) ?? { id: nthId(++ports), model: new RoundModel(), alive: false };
      named.set(name, known);
      return known;
    };
    const give = (id: string, command: { type: string; data: object }) => post(`/v1/ports/${id}/commands`, command);
    for (const name of initialPorts) {
      const port = portOf(name);
      expect((await give(port.id, { type: 'CreatePort', data: {} })).status).toBe(200);
      port.alive = true;
    }

    for (const step of steps) {
      const command = commandOf(step);
      if (!command) continue;
      const port = portOf(step.port);
      const { status, body } = await give(port.id, command);
      if (step.entity === null && 'entity' in command.data) {
        expect(status).toBe(400);
        continue;
      }
      if (!port.alive && command.type !== 'CreatePort') {
        expect(command.type === 'DeletePort' ? [200, 404] : [404, 410]).toContain(status);
        continue;
      }
      expect(status).toBe(200);
      port.alive = command.type !== 'DeletePort';
      const types = body.events.map(({ type }: { type: string }) => type);
      expect(types.filter((type: string) => type === 'PortProvisioned')).toHaveLength(port.model.step(step) ? 1 : 0);
      expect(body.state.blocks.map(({ entity }: { entity: string }) => entity).sort()).toEqual(step.expect.remaining);
    }
  });
});
