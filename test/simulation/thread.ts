import { parentPort } from 'node:worker_threads';
import { lifeOf } from './life.ts';

/** A thread of a campaign: lives through the worlds it is told of, one at a time. */
parentPort!.on('message', async (seed: number) => parentPort!.postMessage(await lifeOf(seed)));
