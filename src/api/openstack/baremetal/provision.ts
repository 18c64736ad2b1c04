import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { defaultNodeSettings } from '../../../domain/node/facts.ts';
import { objectionTo } from '../../../domain/node/verb-guards.ts';
import { pathOf, verbOf } from '../../../domain/node/verbs.ts';
import { Fault } from '../fault.ts';
import { parsed } from './body.ts';
import { requireMinor } from './faults.ts';
import type { NodeState } from './node-state.ts';

const Steps = z.array(z.json());

const Body = z.strictObject({
  target: z.string(),
  configdrive: z.union([z.string(), z.record(z.string(), z.json())]).nullish(),
  deploy_steps: Steps.nullish(),
  clean_steps: Steps.nullish(),
  service_steps: Steps.nullish(),
  rescue_password: z.string().nullish(),
});

/** A verb with its arguments, as the ledger takes it. */
export interface VerbRequest {
  readonly target: string;
  readonly [argument: string]: unknown;
}

const argumentNames = {
  configdrive: 'configdrive',
  deploy_steps: 'deploySteps',
  clean_steps: 'cleanSteps',
  service_steps: 'serviceSteps',
  rescue_password: 'rescuePassword',
} as const;

/** The body of `PUT states/provision`. @throws Fault where it is malformed */
export function verbIn(body: unknown): VerbRequest {
  if (typeof body !== 'object' || body === null || !('target' in body)) {
    throw new Fault(400, 'MissingParameterValue', 'Say in "target" what is to be done.');
  }
  const { target, ...members } = parsed(Body, body);
  const given = Object.entries(argumentNames).flatMap(([field, argument]) => {
    const value = members[field as keyof typeof argumentNames];
    return value === undefined || value === null ? [] : [[argument, value] as const];
  });
  return { target, ...Object.fromEntries(given) };
}

/** The minor version each verb came with; `undeploy` has none, since Ironic knows it by another name. */
const verbMinors: Readonly<Record<string, number>> = {
  manage: 4,
  provide: 4,
  inspect: 6,
  abort: 13,
  clean: 15,
  adopt: 17,
  rescue: 38,
  unrescue: 38,
  deploy: 73,
};

/** What came later, and is asked for only of a request that is good otherwise: with any state, or with one alone. */
const lateMinors: readonly { target: string; state?: string; minor: number }[] = [
  { target: 'abort', state: 'inspect wait', minor: 41 },
  { target: 'abort', state: 'wait call-back', minor: 110 },
  { target: 'unhold', minor: 85 },
  { target: 'service', minor: 87 },
];

interface LateArgument {
  readonly what: string;
  readonly minor: number;
  readonly isGiven: (verb: VerbRequest) => boolean;
  /** Some are refused as if they did not belong to the verb, others as not there yet. */
  readonly refusal: 'ClientSideError' | 'NotAcceptable';
}

const lateArguments: readonly LateArgument[] = [
  {
    what: 'A configdrive with rebuild',
    minor: 35,
    isGiven: ({ target, configdrive }) => target === 'rebuild' && configdrive !== undefined,
    refusal: 'ClientSideError',
  },
  {
    what: 'A configdrive that is an object',
    minor: 56,
    isGiven: ({ configdrive }) => typeof configdrive === 'object',
    refusal: 'ClientSideError',
  },
  {
    what: 'deploy_steps',
    minor: 69,
    isGiven: ({ deploySteps }) => deploySteps !== undefined,
    refusal: 'NotAcceptable',
  },
];

/**
 * Whether the caller's version has the verb. Ironic looks at most verbs before it looks at the node, and at the newest
 * after it has found that they lead somewhere and came with what they need.
 *
 * @throws Fault where it has not
 */
export function requireVerbVersion(request: FastifyRequest, node: NodeState, verb: VerbRequest): void {
  const { target } = verb;
  if (Object.hasOwn(verbMinors, target)) requireMinor(request, verbMinors[target]!, `The verb ${target}`);
  if (!isGoodOtherwise(request, node, verb)) return;
  for (const late of lateMinors.filter((other) => other.target === target)) {
    if ((late.state ?? node.provisionState) !== node.provisionState) continue;
    requireMinor(request, late.minor, `${target} from ${node.provisionState}`);
  }
  for (const late of lateArguments.filter(({ isGiven }) => isGiven(verb))) requireArgument(request, late);
}

function requireArgument(request: FastifyRequest, { what, minor, refusal }: LateArgument): void {
  if (request.microversion.minor >= minor) return;
  const status = refusal === 'NotAcceptable' ? 406 : 400;
  throw new Fault(status, refusal, `${what} came with version 1.${minor}.`);
}

function isGoodOtherwise({ caller }: FastifyRequest, node: NodeState, verb: VerbRequest): boolean {
  if (!pathOf(node.provisionState, verb.target)) return false;
  if (node.maintenance && verbOf(verb.target)?.inMaintenance === 'refused-first') return false;
  const objection = objectionTo(node, verb, defaultNodeSettings, {
    time: node.updatedAt,
    actor: caller.actor,
    resource: { kind: 'node', id: node.id },
  });
  return !objection?.slug.startsWith('argument-');
}
