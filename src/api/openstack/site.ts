import type { EventStore } from '../../store/event-store.ts';
import type { Resources } from './resources.ts';

/** What the routes of a service stand on. */
export interface Site {
  readonly resources: Resources;
  /** For histories, which are read where they are written. */
  readonly store: EventStore;
}
