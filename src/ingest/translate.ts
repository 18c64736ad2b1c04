import type { z } from 'zod';
import { Uuid } from '../domain/kernel/resource.ts';
import { ironicReadings } from './ironic.ts';
import { neutronReadings } from './neutron.ts';
import { type Notification, parseNotification, Unintelligible } from './notification.ts';
import { novaReadings } from './nova.ts';
import { type Observed, type ObservedKind, schemas } from './translation.ts';

/** A command that records what a message says of a resource. */
export type Observation = {
  [K in ObservedKind]: {
    readonly kind: K;
    readonly id: string;
    readonly type: (typeof schemas)[K]['type'];
    readonly data: z.input<(typeof schemas)[K]['schema']>;
  };
}[ObservedKind];

/** What is made of a message. */
export type Translation =
  | { readonly outcome: 'observed'; readonly notification: Notification; readonly observations: readonly Observation[] }
  /** It is understood, and says nothing that the ledger records. */
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** It is no notification, or one that contradicts its own form. */
  | { readonly outcome: 'rejected'; readonly reason: string };

/** What each event type is read as; the first pattern that fits counts. */
const readings = [...ironicReadings, ...neutronReadings, ...novaReadings];

/** Makes commands of a message, whatever it is. Never throws because of what is in it. */
export function translate(message: unknown): Translation {
  try {
    const notification = parseNotification(message);
    const reading = readings.find(([pattern]) => pattern.test(notification.eventType))?.[1];
    if (!reading) return { outcome: 'skipped', reason: 'it is of a service or a resource that is not recorded' };
    if (typeof reading !== 'function') return { outcome: 'skipped', reason: reading.skipped };
    const observed = reading(notification);
    if (observed.length === 0) throw new Unintelligible(`${notification.eventType} names no resource.`);
    return {
      outcome: 'observed',
      notification,
      observations: observed.map((said) => observationOf(said, notification)),
    };
  } catch (error) {
    if (error instanceof Unintelligible) return { outcome: 'rejected', reason: error.message };
    throw error;
  }
}

const longestSource = 255;

/** Who said it, on what occasion, in which message. */
const sourceOf = ({ publisherId, eventType, messageId }: Notification): string =>
  [publisherId, eventType, messageId].filter(Boolean).join(' ').slice(0, longestSource);

/** The command as its schema takes it. A detail that cannot be right is left out: the state is what matters. */
function observationOf({ kind, id, says }: Observed, notification: Notification): Observation {
  const { eventType, timestamp } = notification;
  if (!Uuid.safeParse(id).success) throw new Unintelligible(`${eventType} names no ${kind} by its UUID.`);
  const { type, schema } = schemas[kind];
  const said: Record<string, unknown> = {
    source: sourceOf(notification),
    ...(timestamp !== null && { observedAt: timestamp }),
    ...Object.fromEntries(Object.entries(says).filter(([, value]) => value !== undefined)),
  };
  for (const field of wrongFields(schema, said)) if (!required.has(field)) delete said[field];
  const [wrong] = wrongFields(schema, said);
  if (wrong) throw new Unintelligible(`${eventType} says nothing that could be the ${wrong} of a ${kind}.`);
  return { kind, id, type, data: said } as Observation;
}

/** Without these an observation says nothing. */
const required: ReadonlySet<string> = new Set(['status', 'vmState', 'provisionState']);

function wrongFields(schema: z.ZodType, said: object): string[] {
  const { error } = schema.safeParse(said);
  return [...new Set(error?.issues.map(({ path }) => String(path[0] ?? '')))];
}
