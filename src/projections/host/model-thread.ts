/** The thread of the read models: opens its file, then answers what it is sent, until it is told to close. */

import { parentPort, workerData } from 'node:worker_threads';
import { aggregates } from '../../domain/aggregates.ts';
import type { ModelOptions } from '../models/model.ts';
import { hostModel } from './model-host.ts';
import type { Request } from './protocol.ts';

const port = parentPort!;
const handle = hostModel(workerData as ModelOptions, aggregates, (reply) => port.postMessage(reply));

port.on('message', (request: Request) => {
  if (request.call === 'close') port.close(); // nothing else keeps the thread alive
  handle(request);
});
