import { InvalidQuery } from '../models/asking.ts';
import { Model, type ModelOptions } from '../models/model.ts';
import { isDamage } from '../models/model-file.ts';
import type { Aggregates } from '../models/projector.ts';
import { type CallName, type Calls, decodeEvents, type Fault, type Reply, type Request } from './protocol.ts';

type Handlers = {
  readonly [C in CallName]: (ask: Calls[C]['ask']) => Calls[C]['answer'] | Promise<Calls[C]['answer']>;
};

/** Opens a model and answers requests to it, one after the other. @returns what to give the requests to */
export function hostModel(
  options: ModelOptions,
  aggregates: Aggregates,
  reply: (reply: Reply) => void,
): (request: Request) => void {
  let model: Model;
  try {
    model = new Model(options, aggregates);
    reply({ kind: 'opened', whereabouts: model.whereabouts() });
  } catch (error) {
    reply({ kind: 'fault', id: null, fault: faultIn(error) });
    return () => {};
  }

  const handlers: Handlers = {
    load: () => model.load((events) => reply({ kind: 'progress', events })),
    whereabouts: () => model.whereabouts(),
    apply: (ask) => model.apply({ ...ask, events: decodeEvents(ask.events) }),
    retry: ({ resource, events, complete }) => model.retry(resource, decodeEvents(events), complete),
    ask: ({ name, ask }) => model.ask(name, ask as never),
    promote({ path }) {
      model.promote(path);
      return null;
    },
    close() {
      model.close();
      return null;
    },
  };

  return ({ id, call, ask }) => {
    const fail = (error: unknown): void => reply({ kind: 'fault', id, fault: faultIn(error) });
    try {
      const answer = handlers[call](ask as never);
      if (answer instanceof Promise) answer.then((settled) => reply({ kind: 'answer', id, answer: settled }), fail);
      else reply({ kind: 'answer', id, answer });
    } catch (error) {
      fail(error);
    }
  };
}

function faultIn(error: unknown): Fault {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof InvalidQuery) return { code: 'invalid-query', reason };
  return { code: isDamage(error) ? 'damaged' : 'failed', reason };
}
