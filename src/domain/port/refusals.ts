import { lifetimeRefusals } from '../kernel/aggregate.ts';
import { type RefusalCatalogue, refuser } from '../kernel/refusal.ts';

export const portRefusals = {
  ...lifetimeRefusals('port'),
  'port-exists': {
    category: 'conflict',
    title: 'The port exists with other attributes',
    explanation:
      'CreatePort named an id that is taken by a living port whose attributes differ from the ones given. A repeated CreatePort with the same attributes is answered as done. Use UpdatePort to change the port, or another id for another port.',
  },
  'port-blocked': {
    category: 'conflict',
    title: 'The port is blocked',
    explanation:
      'A port cannot be ACTIVE while an entity has not reported. `blocks` names who is awaited. Complete or remove those blocks; the port becomes ACTIVE by itself when the last one is lifted.',
  },
  'port-not-bound': {
    category: 'conflict',
    title: 'The port is not bound',
    explanation:
      'A port cannot be ACTIVE while it is bound to no host, or while its binding has failed. `binding` shows the host and, where the binding failed, what each mechanism driver said. Bind it with BindPort; it becomes ACTIVE by itself when nothing else is awaited.',
  },
  'port-admin-down': {
    category: 'conflict',
    title: 'The port is administratively down',
    explanation:
      'A port that is administratively down cannot be ACTIVE. Set `adminStateUp` to true with UpdatePort first.',
  },
  'port-bound': {
    category: 'conflict',
    title: 'The port is bound',
    explanation:
      'The MAC address of a port that is bound to a host cannot change: its interface exists there with the old one. Unbind the port with UnbindPort, change the address, and bind it again.',
  },
  'port-in-use': {
    category: 'conflict',
    title: 'The port is in use',
    explanation:
      'The vnic type decides how the interface reaches its guest, so it changes only while the port is unbound. Use UnbindPort first.',
  },
  'bindings-not-supported': {
    category: 'invalid',
    title: 'This kind of port has one binding only',
    explanation:
      'Bindings on further hosts are for ports that migrate with their guest: those whose `deviceOwner` begins with compute: or manila:. Other ports are moved with BindPort.',
  },
  'binding-exists': {
    category: 'conflict',
    title: 'The port has a binding on this host',
    explanation:
      'A port has at most one binding on a host. Activate the one that is there with ActivateBinding, or remove it with RemoveBinding and add it again.',
  },
  'binding-not-found': {
    category: 'not-found',
    title: 'The port has no binding on this host',
    explanation:
      'ActivateBinding named a host on which the port has no INACTIVE binding. `otherBindings` lists those there are; add one with AddBinding.',
  },
  'binding-active': {
    category: 'conflict',
    title: 'The binding is the ACTIVE one',
    explanation:
      'RemoveBinding removes INACTIVE bindings. To take the port from its host use UnbindPort, or activate another binding first.',
  },
  'binding-in-use': {
    category: 'conflict',
    title: 'A migration in progress needs the binding',
    explanation:
      'The binding was added for a migration that has not ended, as far as this ledger was told. The migration itself removes it by giving its id as `migration`. If the migration is over, say so with ReportMigrationEnded; after that anybody may remove or replace the binding.',
  },
  'binding-failed': {
    category: 'conflict',
    title: 'The port cannot be bound to this host',
    explanation:
      'No mechanism driver could bind the port to the host, so no binding was added. `tried` says what each driver answered, `agents` which agents it saw on the host. Nothing was stored; try again when the cause is gone.',
  },
} as const satisfies RefusalCatalogue;

export const refuse = refuser(portRefusals);
