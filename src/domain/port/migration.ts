import type { Decide } from '../kernel/aggregate.ts';
import { sameJson } from '../kernel/json.ts';
import { awaitL2, stopAwaitingL2 } from './awaited.ts';
import { tryDrivers } from './binding.ts';
import type { PortCommands } from './commands.ts';
import type { PortEvent } from './events.ts';
import { refuse } from './refusals.ts';
import { type OtherBinding, otherBindingOn, type Port } from './state.ts';
import { type PortFacts, surroundingsOf } from './surroundings.ts';
import { Unfolding } from './unfolding.ts';

type Migrations = 'AddBinding' | 'ActivateBinding' | 'RemoveBinding' | 'ReportMigrationEnded';

const migratingOwners = ['compute:', 'manila:'];

/** Bindings on several hosts, for live migration: one is ACTIVE, the others wait for it to hand over. */
export const migrationRules: Decide<Port, Pick<PortCommands, Migrations>, PortEvent, PortFacts> = {
  /** Where no driver can bind the port, nothing is added: the caller chooses another host. */
  AddBinding(port, { host, vnicType = port.binding.vnicType, profile = {}, migration = null }, facts) {
    if (!migratingOwners.some((owner) => port.deviceOwner.startsWith(owner))) {
      refuse('bindings-not-supported', `The port ${port.id} belongs to "${port.deviceOwner}".`);
    }
    if (host === port.binding.host) refuse('binding-exists', `The ACTIVE binding of port ${port.id} is on ${host}.`);
    const known = otherBindingOn(port, host);
    if (known && sameJson([known.vnicType, known.profile, ownerOf(known)], [vnicType, profile, migration])) return [];
    if (known && !isLeftOver(known)) return refuseOccupied(known, port);

    const inputs = { host, vnicType, profile };
    const attempt = tryDrivers(port, inputs, surroundingsOf(port, facts));
    if (!attempt || attempt.vifType === 'binding_failed') {
      const { tried = [], agents = [] } = attempt ?? {};
      return refuse('binding-failed', `No driver could bind port ${port.id} to ${host}.`, {
        retryable: true,
        tried,
        agents,
      });
    }
    const { status: _, ...attachment } = attempt;
    const added: PortEvent = {
      type: 'BindingAdded',
      data: { ...inputs, ...attachment, generation: port.lastGeneration + 1, migration },
    };
    return known ? [removed(host, 'replaced: its migration has ended'), added] : [added];
  },

  /** One append: the port is never seen with two ACTIVE bindings, or with none. */
  ActivateBinding(port, { host }, facts) {
    const { host: from } = port.binding;
    if (host === from) return [];
    if (!otherBindingOn(port, host)) {
      const hosts = port.otherBindings.map((binding) => binding.host);
      refuse('binding-not-found', `The port ${port.id} has no INACTIVE binding on ${host}.`, { hosts });
    }
    const it = new Unfolding(port, facts.time);
    it.add({ type: 'BindingActivated', data: { host, from, generation: port.lastGeneration + 1 } });
    it.setStatus('DOWN', 'binding-activated', {}, port.binding);
    stopAwaitingL2(it, from, `moved from ${from}`);
    awaitL2(it, surroundingsOf(port, facts));
    return it.events;
  },

  RemoveBinding(port, { host, migration, reason }) {
    if (host === port.binding.host) {
      refuse('binding-active', `The binding of port ${port.id} on ${host} is the ACTIVE one.`);
    }
    const known = otherBindingOn(port, host);
    if (!known) return [];
    if (isInUse(known) && migration !== ownerOf(known)) return refuseInUse(known, port);
    return [removed(host, reason)];
  },

  ReportMigrationEnded(port, { migration, outcome, reason }) {
    const left = port.otherBindings.filter((binding) => ownerOf(binding) === migration && isInUse(binding));
    if (left.length === 0) return [];
    return [{ type: 'MigrationEnded', data: { migration, outcome, ...(reason !== undefined && { reason }) } }];
  },
};

/** An INACTIVE binding whose migration is over. One that names no migration tells nothing about itself. */
export const isLeftOver = ({ migration }: OtherBinding): boolean => migration !== null && migration.endedAt !== null;

const isInUse = ({ migration }: OtherBinding): boolean => migration !== null && migration.endedAt === null;

const ownerOf = ({ migration }: OtherBinding): string | null => migration?.id ?? null;

const removed = (host: string, reason: string): PortEvent => ({ type: 'BindingRemoved', data: { host, reason } });

const refuseOccupied = (known: OtherBinding, port: Port): never =>
  isInUse(known)
    ? refuseInUse(known, port)
    : refuse(
        'binding-exists',
        `Port ${port.id} has a binding on ${known.host} with other inputs, since ${known.since}.`,
      );

const refuseInUse = ({ host, since, migration }: OtherBinding, port: Port): never =>
  refuse('binding-in-use', `The binding of port ${port.id} on ${host} belongs to the migration ${migration!.id}.`, {
    host,
    migration: migration!.id,
    since,
  });
