import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { describeEmbeddedStore } from '../contract/embedded-store.contract.ts';
import { describeEventStore } from '../contract/event-store.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'stackledger-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let opened = 0;
const open = () => openSqliteStore({ path: join(folder, `ledger-${++opened}.db`) });

describeEventStore('an SQLite file', open);
describeEmbeddedStore('an SQLite file', open);
