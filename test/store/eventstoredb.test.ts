import { describeEventStore } from '../contract/event-store.contract.ts';
import { database } from '../support/eventstoredb/engine.ts';

const { open } = database();

describeEventStore('EventStoreDB', open, { appendsPerWriter: 8, many: 40 });
