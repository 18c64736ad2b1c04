import { readFileSync } from 'node:fs';

/** One step of Neutron's own provisioning blocks, as its module answered. See NOTICE. */
export interface BlocksStep {
  op: string;
  port: string;
  entity: string | null;
  object_type?: string;
  port_id_form?: string;
  expect: {
    returns?: unknown;
    error?: { type: string };
    remaining: string[];
    fired: boolean;
    events?: { trigger: string }[];
  };
}

export interface BlocksSequence {
  name: string;
  initialPorts: string[];
  steps: BlocksStep[];
}

const file = new URL('../vectors/neutron/provisioning-blocks.json', import.meta.url);
export const blocksSequences = JSON.parse(readFileSync(file, 'utf8')) as BlocksSequence[];

/** The command a step stands for; null where the step has no counterpart (it only looks, or cannot be said here). */
export function commandOf({
  op,
  entity,
  object_type,
  port_id_form,
}: BlocksStep): { type: string; data: object } | null {
  if (object_type !== undefined || port_id_form !== undefined) return null;
  const types: Record<string, string> = {
    add: 'AddProvisioningComponent',
    remove: 'RemoveProvisioningComponent',
    complete: 'ProvisioningComplete',
    create_port: 'CreatePort',
    delete_port: 'DeletePort',
  };
  const type = types[op];
  if (!type) return null;
  return { type, data: op.endsWith('_port') ? {} : { entity } };
}

/**
 * Whether the port is provisioned by a step here, given what Neutron did. Two of the four deliberate differences show:
 * a completion in a round that is provisioned already is no event, and lifting the last block after a completion that
 * counted in the same round provisions the port. (The others: an unknown port is refused; entities compare exactly on every back end.)
 */
export class RoundModel {
  #provisioned = false;
  #completed = new Set<string>();
  #blocks = new Set<string>();

  step({ op, entity, expect }: BlocksStep): boolean {
    const name = entity ?? '';
    if (op === 'create_port' || op === 'delete_port') this.#reset();
    if (op === 'add') {
      if (this.#provisioned && !this.#blocks.has(name)) this.#reset();
      this.#blocks.add(name);
      this.#completed.delete(name);
    }
    const lifted = op === 'remove' && this.#blocks.delete(name);
    if (op === 'complete') {
      const counts = this.#blocks.delete(name) || this.#blocks.size === 0;
      if (counts && !this.#provisioned) this.#completed.add(name);
    }
    const repeated = op === 'complete' && this.#provisioned;
    const fires = lifted ? this.#blocks.size === 0 && this.#completed.size > 0 : expect.fired && !repeated;
    if (fires) this.#provisioned = true;
    return fires;
  }

  #reset(): void {
    this.#provisioned = false;
    this.#completed.clear();
    this.#blocks.clear();
  }
}
