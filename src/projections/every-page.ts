import { type Answer, type Ask, maxLimit } from './queries.ts';
import type { Views } from './views.ts';

/** The whole answer to a question that is answered in pages, one page after the other. */
export async function* everyPage<N extends 'list' | 'waiting' | 'deadlines'>(
  views: Pick<Views, 'ask'>,
  name: N,
  ask: Ask<N>,
): AsyncGenerator<Answer<N>['items'], void, undefined> {
  for (let marker: string | null | undefined; marker !== null; ) {
    const { value } = await views.ask(name, { ...ask, limit: maxLimit, ...(marker !== undefined && { marker }) });
    yield value.items;
    marker = value.next;
  }
}
