import { Fault } from '../fault.ts';

export const invalid = (message: string): Fault => new Fault(400, 'InvalidInput', message);

export const badRequest = (message: string): Fault => new Fault(400, 'HTTPBadRequest', message);

/** Neutron's names for what is not there, by the kind of thing. */
const missing = {
  network: 'NetworkNotFound',
  subnet: 'SubnetNotFound',
  port: 'PortNotFound',
  agent: 'AgentNotFound',
  extension: 'ExtensionNotFound',
} as const;

export const notFound = (what: keyof typeof missing, id: string): Fault =>
  new Fault(404, missing[what], `There is no ${what} ${id}.`);
