import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { describeEmbeddedStore } from '../contract/embedded-store.contract.ts';
import { describeEventStore } from '../contract/event-store.contract.ts';
import { ledgerFolder } from './support.ts';

const { newPath } = ledgerFolder();
const open = () => openSqliteStore({ path: newPath() });

describeEventStore('an SQLite file', open);
describeEmbeddedStore('an SQLite file', open);
