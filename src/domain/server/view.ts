import { allowedCommands } from './admission.ts';
import { type Fault, faultShown } from './faults.ts';
import type { Server } from './state.ts';
import { statusOf } from './status.ts';

/** The server as people see it. */
export interface ServerView extends Server {
  status: string;
  fault: Fault | null;
  /** Commands that would be accepted now. */
  allowed: string[];
}

export function viewServer(server: Server): ServerView {
  const status = statusOf(server);
  return { ...server, status, fault: faultShown(status, server), allowed: allowedCommands(server) };
}
