import { Refusal } from '../../../src/domain/kernel/refusal.ts';
import { nodeAggregate } from '../../../src/domain/node/index.ts';
import type { Node } from '../../../src/domain/node/state.ts';
import { Resource } from '../../support/story.ts';

/** Lives of nodes as the commands that led there, and what tests ask of them. */
export interface Command {
  type: string;
  data: object;
}

export const command = (type: string, data: object = {}): Command => ({ type, data });
export const verb = (target: string, more: object = {}): Command => command('SetProvisionState', { target, ...more });
export const reports = (event: string, more: object = {}): Command =>
  command('ReportProvisionEvent', { event, holder: 'c-1', ...more });

export const enrolled = command('EnrollNode', { driver: 'ipmi', conductor: 'c-1' });
export const verifying = [enrolled, verb('manage')];
export const manageable = [...verifying, reports('done')];
export const cleaning = [...manageable, verb('provide')];
export const available = [...cleaning, reports('done')];
export const deploying = [...available, verb('active')];
export const waiting = [...deploying, reports('wait')];
export const active = [...deploying, reports('done', { powerState: 'power on' })];

export const minutes = 60_000;

export const lived = (...commands: readonly Command[]): Resource<Node> => livedKnowing({}, ...commands);

/** A life on a site that knows more than the state, its settings for one. */
export function livedKnowing(facts: object, ...commands: readonly Command[]): Resource<Node> {
  const node = new Resource(nodeAggregate);
  node.facts = facts;
  for (const { type, data } of commands) node.execute(type, data);
  return node;
}

/** The types of the events that a command leads to. */
export const typesOf = (node: Resource<Node>, { type, data }: Command): string[] =>
  node.execute(type, data).map((event) => event.type);

export function refusalOf(node: Resource<Node>, { type, data }: Command): Refusal {
  try {
    node.decide(type, data);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`${type} was not refused`);
}

/** Lets time pass and the clock give the commands of all deadlines that are due then. */
export function pass(node: Resource<Node>, milliseconds: number): string[] {
  node.now += milliseconds;
  const time = new Date(node.now).toISOString();
  const due = nodeAggregate.deadlines!(node.state!, null).filter(({ at }) => at <= time);
  return due.flatMap(({ command: { type, data } }) => typesOf(node, { type, data }));
}
