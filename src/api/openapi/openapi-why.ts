import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Aggregate } from '../../domain/kernel/aggregate.ts';
import { kinds, Timestamp } from '../../domain/kernel/resource.ts';
import { answered, idOf, position, problems } from './openapi-routes.ts';

/* What the API reference says of explanations. */

const Named = z.object({ kind: z.enum(kinds), id: z.string(), name: z.string().nullable() });

const Remedy = z
  .object({ path: z.string(), body: z.object({ type: z.string(), data: z.looseObject({}) }) })
  .meta({ id: 'Remedy', description: 'A command ready to be sent: POST `path` with `body`.' });

const Proof = z
  .object({
    eventId: z.uuid(),
    stream: z.string(),
    type: z.string(),
    revision: z.int(),
    position,
    time: Timestamp,
  })
  .meta({ id: 'Proof', description: 'An event that shows it.' });

const Owner = z
  .object({
    kind: z.enum(['agent', 'host', 'worker', 'back-end', 'ramdisk', 'service', 'operator']),
    id: z.string(),
    host: z.string().nullable(),
    alive: z.boolean().nullable().meta({ description: 'Null where nothing here tells.' }),
    lastSeenAt: Timestamp.nullable(),
  })
  .meta({ id: 'Owner', description: 'Whose part it is.' });

const Clearance = z
  .object({
    by: z.enum(['itself', 'owner', 'operator', 'nobody']),
    how: z.string(),
    deadline: Timestamp.nullable().meta({ description: 'When it is given up by itself.' }),
    command: Remedy.nullable(),
  })
  .meta({ id: 'Clearance', description: 'Whether it can still be lifted, and how.' });

const condition = {
  what: z.string().meta({ example: 'l2-report' }),
  summary: z.string(),
  since: Timestamp,
  owner: Owner.nullable(),
  clearable: Clearance.nullable(),
  proof: z.array(Proof),
};

const Hint = z
  .object({
    what: z.string().meta({ example: 'early-report' }),
    kind: z.enum(['note', 'leftover', 'contradiction', 'restless']),
    summary: z.string(),
    since: Timestamp,
    proof: z.array(Proof),
    command: Remedy.nullable(),
  })
  .meta({ id: 'Hint' });

const Explanation = z
  .object({
    resource: Named,
    status: z.string(),
    since: Timestamp.nullable(),
    verdict: z.enum(['fine', 'waiting', 'stuck', 'gone', 'unknown']),
    summary: z.string(),
    conditions: z.array(
      z.object({
        ...condition,
        met: z.boolean(),
        because: z
          .array(z.looseObject({}))
          .meta({ description: 'What it waits for in turn: explanations like this one.' }),
      }),
    ),
    hints: z.array(Hint),
    elided: z.enum(['told-elsewhere', 'too-deep']).nullable(),
  })
  .meta({ id: 'Explanation' });

const Why = Explanation.extend({
  at: z.object({ revision: z.int(), position, time: Timestamp }),
  causes: z
    .array(z.object({ ...condition, resource: Named }))
    .meta({ description: 'What lies at the bottom, first cause first.' }),
  waitedForBy: z.array(
    z.object({ resource: Named, what: z.string(), since: Timestamp, deadline: Timestamp.nullable() }),
  ),
  partial: z.boolean().meta({ description: 'Whether something was left out.' }),
}).meta({ id: 'Why' });

export const documentedWhy = (aggregate: Aggregate): FastifySchema => ({
  tags: ['Reads'],
  operationId: `${aggregate.kind}Why`,
  summary: `Why a ${aggregate.kind} is as it is, or was as it was`,
  description:
    'The tree of conditions it needs, those that are not met first, each with since when, whose part it is, whether it can still be lifted, and the events that prove it. Works after deletion too.',
  params: idOf(aggregate),
  response: { ...answered('The explanation.', Why), ...problems(404, 409, 503) },
});

const Finding = z
  .object({
    kind: z.string().meta({ example: 'block-nobody-can-clear' }),
    resource: Named,
    status: z.string(),
    since: Timestamp,
    summary: z.string(),
    evidence: z.array(Proof),
    advice: z.string().nullable(),
    command: Remedy.nullable().meta({ description: 'What mends it; null where people must look first.' }),
  })
  .meta({ id: 'Finding' });

export const documentedDoctor = (): FastifySchema => ({
  tags: ['Reads'],
  operationId: 'doctor',
  summary: 'What would bite later: leftovers, contradictions, what does not move on',
  description:
    'Looks through everything that lives, a page of resources at a time; a page may be empty and have a next one. The rules are those of `why`.',
  response: {
    ...answered(
      'What was found among the resources of this page.',
      z.object({
        findings: z.array(Finding),
        examined: z.int().meta({ description: 'How many resources were looked at.' }),
        next: z.string().nullable(),
        time: Timestamp,
        position,
      }),
    ),
    ...problems(503),
  },
});
