import type { ResourceRef } from '../kernel/resource.ts';
import type { HintDraft } from './explainer.ts';
import type { Happening, World } from './world.ts';

/** So many changes of status within so long are not a way to somewhere any more. */
const changesThatCount = 5;
const withinMs = 600_000;

/** A status that goes back and forth: told while the last change is not older than the window. */
export function restless(
  world: World,
  on: ResourceRef,
  type: string,
  to: (data: Happening['data']) => string,
): HintDraft[] {
  const from = Date.parse(world.time) - withinMs;
  const changes = world
    .happened(on)
    .filter((event) => event.type === type && Date.parse(event.time) >= from)
    .filter(({ data }, index, all) => index === all.length - 1 || to(data) !== to(all[index + 1]!.data));
  const visits = changes.map(({ data }) => to(data));
  const again = visits.length - new Set(visits).size;
  if (changes.length < changesThatCount || again < 2) return [];
  const [last, first] = [changes[0]!, changes.at(-1)!];
  const seconds = Math.round((Date.parse(last.time) - Date.parse(first.time)) / 100) / 10;
  return [
    {
      what: 'flapping',
      kind: 'restless',
      summary: `It changed its status ${changes.length} times within ${seconds} s: ${visits.toReversed().join(', ')}.`,
      since: first.time,
      proof: changes.map(({ time, data }) => ({
        on,
        types: [type],
        at: time,
        where: (other: Happening['data']) => to(other) === to(data),
      })),
      command: null,
    },
  ];
}
