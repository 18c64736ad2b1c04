import type { EventContext } from '../kernel/aggregate.ts';
import type { DataOf, PortEvent, PortStatus, StatusCause } from './events.ts';
import { begin, evolve } from './evolve.ts';
import { type Binding, copyOf, isBound, type Port } from './state.ts';

type StatusDetail = Pick<DataOf<'PortStatusChanged'>, 'reason' | 'retryable'>;

/** A decision in the making: each event is folded as soon as it is decided, so the next rule sees what it led to. */
export class Unfolding {
  /** The port as the events so far leave it. */
  readonly port: Port;
  readonly events: PortEvent[] = [];
  readonly #time: string;

  constructor(port: Port, time: string) {
    this.port = copyOf(port);
    this.#time = time;
  }

  /** The decision that begins a life. */
  static ofNew(id: string, created: DataOf<'PortCreated'>, time: string): Unfolding {
    const context: EventContext = { id, eventId: '', revision: 0, time };
    const born = begin.PortCreated(created, context);
    const unfolding = new Unfolding(Object.assign(born, { revision: 0, createdAt: time, updatedAt: time }), time);
    unfolding.events.push({ type: 'PortCreated', data: created });
    return unfolding;
  }

  add(event: Exclude<PortEvent, { type: 'PortCreated' }>): void {
    const { id, revision } = this.port;
    const context: EventContext = { id, eventId: '', revision, time: this.#time };
    const meaning = evolve[event.type] as (port: Port, data: PortEvent['data'], context: EventContext) => void;
    meaning(this.port, event.data, context);
    this.events.push(event);
  }

  /** `about`: the binding the change is about, where that is not the present one. */
  setStatus(to: PortStatus, cause: StatusCause, more: StatusDetail = {}, about: Binding = this.port.binding): void {
    const { status: from } = this.port;
    if (from === to) return;
    const { host, generation } = about;
    this.add({
      type: 'PortStatusChanged',
      data: { from, to, cause, ...more, ...(host !== null && { host, generation }) },
    });
  }

  /** Makes the port ACTIVE if nothing stands in the way any more. */
  settle(cause: StatusCause): void {
    if (isReady(this.port)) this.setStatus('ACTIVE', cause);
  }
}

/**
 * Every guard of ACTIVE: nobody is awaited and somebody has completed; it is administratively up; it is bound, and its
 * host has not said since that it is down, nor been asked to wire it anew.
 */
export const isReady = (port: Port): boolean =>
  port.round.provisioned !== null &&
  port.blocks.length === 0 &&
  port.adminStateUp &&
  isBound(port.binding) &&
  port.binding.device !== 'down';
