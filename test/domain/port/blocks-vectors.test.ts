import { describe, expect, test } from 'vitest';
import { portAggregate } from '../../../src/domain/port/index.ts';
import { blocksSequences, commandOf, RoundModel } from '../../support/blocks-vectors.ts';
import { Resource } from '../../support/story.ts';

describe("Neutron's provisioning blocks, step by step", () => {
  test.each(blocksSequences)('$name', ({ initialPorts, steps }) => {
    const ports = new Map<string, Resource<never>>();
    const models = new Map<string, RoundModel>();
    const port = (name: string) => {
      if (!ports.has(name)) ports.set(name, new Resource(portAggregate) as unknown as Resource<never>);
      return ports.get(name)!;
    };
    const model = (name: string) => models.get(name) ?? models.set(name, new RoundModel()).get(name)!;
    for (const name of initialPorts) port(name).execute('CreatePort');

    for (const step of steps) {
      const command = commandOf(step);
      if (!command) continue;
      const resource = port(step.port);
      const alive = resource.state && !('deletedAt' in (resource.state as object));

      if (!alive && command.type !== 'CreatePort' && command.type !== 'DeletePort' && step.entity !== null) {
        expect(resource.refusalOf(command.type, command.data)).toMatch(/^port-(not-found|deleted)$/);
        continue;
      }
      if (step.entity === null && 'entity' in command.data) {
        expect(() => resource.decide(command.type, command.data)).toThrow();
        continue;
      }
      if (!resource.state && command.type === 'DeletePort') continue;

      const events = resource.execute(command.type, command.data);
      const provisioned = events.filter((event) => event.type === 'PortProvisioned');
      expect(provisioned).toHaveLength(model(step.port).step(step) ? 1 : 0);
      expect((resource.view.blocks as { entity: string }[]).map((block) => block.entity).sort()).toEqual(
        step.expect.remaining,
      );
    }
  });
});
