/** The test server as a program: `node --import tsx test/support/eventstoredb/main.ts [1|3]` prints what to connect to. */

import { TestCluster } from './cluster.ts';

const cluster = await TestCluster.start({ nodes: process.argv[2] === '3' ? 3 : 1 });
process.stdout.write(`${cluster.url}\n`);
