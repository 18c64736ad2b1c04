import type { Kind, ResourceRef } from '../../domain/kernel/resource.ts';
import { type Belonging, isChangeable, isOwned, isVisible } from '../../projections/visibility.ts';
import type { CommandRequest, CurrentState } from '../../runtime/command.ts';
import { notFound } from '../problems/lifetime-problems.ts';
import { apiProblem, type Problem } from '../problems/problem.ts';
import type { Caller } from './auth.ts';

type Data = Readonly<Record<string, unknown>>;

/** Commands that begin a life, and the field that says to which project. */
const births: Readonly<Record<string, 'projectId' | 'owner'>> = {
  CreatePort: 'projectId',
  CreateServer: 'projectId',
  CreateNetwork: 'projectId',
  EnrollNode: 'owner',
};

/** Fields by which a command may say to whom a resource belongs. */
const belongings = ['projectId', 'owner'];

/** For whoever owns a node; its lessee works with it and no more. */
const forOwners = ['UpdateNode', 'DeleteNode', 'ObserveNode'];

/** About the site's own machinery, on whatever resource they are given. */
const forSite = ['ScheduleDhcpAgent', 'UnscheduleDhcpAgent'];

/** Fields by which a command names other resources, and what kinds those may be of. */
const references: Readonly<Record<string, readonly Kind[]>> = {
  networkId: ['network'],
  deviceId: ['server', 'node'],
  ports: ['port'],
  portId: ['port'],
  nodeId: ['node'],
  instanceId: ['server'],
};

/** Holds callers who are confined to a project to what is the project's. What is not, is not there for them. */
export class ProjectScope {
  readonly #current: (resource: ResourceRef) => Promise<CurrentState | null>;

  constructor(current: (resource: ResourceRef) => Promise<CurrentState | null>) {
    this.#current = current;
  }

  /** Whether the caller is to know of a resource. What was deleted stays visible to whom it belonged. */
  async sees({ confinedTo }: Caller, resource: ResourceRef): Promise<boolean> {
    if (confinedTo === undefined) return true;
    const current = await this.#current(resource);
    return current !== null && isVisible(confinedTo, resource.kind, belongingOf(current));
  }

  /** @throws Problem that says the same of what does not exist and of what is not the caller's */
  async requireSeen(caller: Caller, resource: ResourceRef): Promise<void> {
    if (!(await this.sees(caller, resource))) throw notFound(resource);
  }

  /**
   * A command as it may be carried out: what it creates belongs to the caller's project.
   *
   * @throws Problem where the resource, or one that the command names, is not the project's
   */
  async admit(command: CommandRequest, caller: Caller): Promise<CommandRequest> {
    const { confinedTo: project } = caller;
    if (project === undefined) return command;
    const { resource, type } = command;
    const current = await this.#current(resource);
    if (current) requireRights(project, resource, type, belongingOf(current));
    else if (!Object.hasOwn(births, type)) throw notFound(resource);

    const data = claimed(type, command.data as Data, project);
    for (const named of namedIn(data)) await this.#requireOneSeen(caller, named);
    return { ...command, data };
  }

  /** One that does not exist is refused alike: the refusal is not to tell which ids are taken elsewhere. */
  async #requireOneSeen(caller: Caller, candidates: readonly ResourceRef[]): Promise<void> {
    for (const candidate of candidates) if (await this.sees(caller, candidate)) return;
    throw notFound(candidates[0]!);
  }
}

const belongingOf = ({ state }: CurrentState): Belonging => state as Belonging;

function requireRights(project: string, resource: ResourceRef, type: string, state: Belonging): void {
  const { kind, id } = resource;
  if (!isVisible(project, kind, state)) throw notFound(resource);
  if (!isChangeable(project, kind, state) || forSite.includes(type))
    throw outsideProject(project, `${type} on the ${kind} ${id} is for the site's own operators.`);
  if (forOwners.includes(type) && !isOwned(project, kind, state))
    throw outsideProject(project, `The ${kind} ${id} is leased to the project; ${type} is for its owner.`);
}

/** The data with the caller's project where none is given. @throws Problem where another one is */
function claimed(type: string, data: Data, project: string): Data {
  const birth = births[type];
  const own = birth !== undefined && (data[birth] ?? '') === '' ? { ...data, [birth]: project } : data;
  for (const field of belongings) {
    const given = own[field];
    if (given === undefined || given === project) continue;
    throw outsideProject(project, `${field} can only be "${project}", not ${JSON.stringify(given)}.`);
  }
  return own;
}

/** What the command names, each as the resources it may be. */
function namedIn(data: Data): ResourceRef[][] {
  return Object.entries(references).flatMap(([field, kinds]) =>
    [data[field] ?? []]
      .flat()
      .filter((id): id is string => typeof id === 'string' && id !== '')
      .map((id) => kinds.map((kind) => ({ kind, id }))),
  );
}

export const outsideProject = (project: string, detail: string): Problem =>
  apiProblem('outside-project', `${detail} The token is confined to the project ${project}.`, { project });
