import type { Site } from '../site.ts';
import type { NovaEvent } from './vectors.ts';

/** What a scenario is played on: a runtime in this process, or a server that is spoken to over HTTP. */
export type Stage = Pick<
  Site,
  | 'execute'
  | 'port'
  | 'portState'
  | 'settle'
  | 'interfering'
  | 'rival'
  | 'createNetwork'
  | 'scheduleDhcp'
  | 'registerAgent'
  | 'killAgent'
  | 'silence'
  | 'deleteAgent'
> & {
  /** How often the server was told something since this was last asked, and what, as far as it was new to it. */
  takeTold(): Promise<{ times: number; news: NovaEvent[] }>;
  racesLost(): Promise<number> | number;
};
