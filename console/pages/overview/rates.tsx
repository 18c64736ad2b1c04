import type { Overview } from '../../../src/client/index.ts';

interface Props {
  readonly rates: Overview['rates'];
  /** Time of the newest event. */
  readonly until: string;
}

const minutes = 60;
const barWidth = 5;
const height = 64;

/** Events a second over the last hour, minute by minute. */
export function Rates({ rates, until }: Props) {
  const last = Math.floor(Date.parse(until) / 60_000);
  const events = new Array<number>(minutes).fill(0);
  for (const { minute, events: count } of rates) {
    const index = minutes - 1 - (last - Math.floor(Date.parse(`${minute}:00Z`) / 60_000));
    if (index >= 0 && index < minutes) events[index]! += count;
  }
  const most = Math.max(1, ...events);
  const total = events.reduce((sum, each) => sum + each, 0);
  return (
    <figure className="panel rates">
      <h2>Events a second, up to the newest</h2>
      <svg
        width={minutes * barWidth}
        height={height}
        role="img"
        aria-label={`${total} events in an hour, at most ${perSecond(most)} a second`}
      >
        {events.map((count, index) => {
          const tall = count === 0 ? 1 : Math.max(2, (count / most) * height);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a minute is told by its place
            <rect key={index} x={index * barWidth} y={height - tall} width={barWidth - 1} height={tall} />
          );
        })}
      </svg>
      <figcaption className="quiet">
        now {perSecond(events.at(-1)!)}, at most {perSecond(most)}; {total.toLocaleString('en')} events in the hour
      </figcaption>
    </figure>
  );
}

const perSecond = (aMinute: number): string => (aMinute / 60).toLocaleString('en', { maximumSignificantDigits: 2 });
