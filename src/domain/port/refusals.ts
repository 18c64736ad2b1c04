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
} as const satisfies RefusalCatalogue;

export const refuse = refuser(portRefusals);
