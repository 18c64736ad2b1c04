import type { Lifetime } from '../domain/kernel/aggregate.ts';
import type { Kind } from '../domain/kernel/resource.ts';

/** What says to whom a resource belongs, in whatever state it is. */
export type Belonging = Partial<Lifetime> & {
  readonly projectId?: string;
  readonly owner?: string | null;
  readonly lessee?: string | null;
};

type Rule = (state: Belonging, project: string) => boolean;

const ofProject: Rule = ({ projectId }, project) => projectId === project;
/** Networks that belong to nobody are the site's own: what every project's ports may be put on. */
const ofProjectOrSite: Rule = ({ projectId }, project) => projectId === project || projectId === '';
const ofOwner: Rule = ({ owner }, project) => owner === project;
const ofOwnerOrLessee: Rule = ({ owner, lessee }, project) => owner === project || lessee === project;
const ofNobody: Rule = () => false;

/** Whether somebody who is confined to a project sees a resource. Agents are the site's machinery. */
const visible: Readonly<Record<Kind, Rule>> = {
  port: ofProject,
  server: ofProject,
  network: ofProjectOrSite,
  node: ofOwnerOrLessee,
  agent: ofNobody,
};

/** Whether it is theirs to change. A lessee works with a node. */
const changeable: Readonly<Record<Kind, Rule>> = { ...visible, network: ofProject };

/** Whether it is theirs to give away or to end. */
const owned: Readonly<Record<Kind, Rule>> = { ...changeable, node: ofOwner };

const asked =
  (rules: Readonly<Record<Kind, Rule>>) =>
  (project: string, kind: Kind, state: Belonging): boolean =>
    project !== '' && rules[kind](state, project);

export const isVisible = asked(visible);
export const isChangeable = asked(changeable);
export const isOwned = asked(owned);
