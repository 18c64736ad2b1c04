import type { Kind } from '../../domain/kernel/resource.ts';
import { Where } from './asking.ts';

type Condition = (project: string) => readonly [text: string, ...values: string[]];

const ofProject: Condition = (project) => ['r.project = ?', project];

/** A node's lessee has no column of its own: nodes are few beside ports and servers. */
const isLessee = "EXISTS (SELECT 1 FROM states v WHERE v.resource = r.key AND v.view ->> '$.lessee' = ?)";

/** `isVisible` of `visibility.ts` as conditions on `r`, a row of `resources`. Where the kind is known, indexes help. */
const visible: Readonly<Record<Kind, Condition>> = {
  port: ofProject,
  server: ofProject,
  network: (project) => ["r.project IN (?, '')", project],
  node: (project) => [`(r.project = ? OR ${isLessee})`, project, project],
  agent: () => ['0'],
};

const visibleOfAnyKind: Condition = (project) => [
  `(r.project = ? OR (r.kind = 'network' AND r.project = '') OR (r.kind = 'node' AND ${isLessee}))`,
  project,
  project,
];

/** The rows of a kind, or of all kinds, that somebody sees who is confined to a project, or to none. */
export function visibleRows(project: string | undefined, kind?: Kind): Where {
  const where = new Where().and('r.kind = ?', kind);
  if (project === undefined) return where;
  return where.and(...(kind === undefined ? visibleOfAnyKind : visible[kind])(project));
}
