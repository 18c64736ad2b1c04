import { SingleBar } from 'cli-progress';
import { formatCount } from './output/table.ts';

/** A bar on standard error while something long runs, for those who look. */
export interface Progress {
  update(value: number): void;
  stop(): void;
}

const silent: Progress = { update() {}, stop() {} };

/** @param total what `update` counts up to; 0 where that is not known */
export function showProgress(label: string, total: number, quiet: boolean): Progress {
  if (quiet || !process.stderr.isTTY) return silent;
  const bar = new SingleBar({
    format: total > 0 ? `${label} {bar} {percentage}%, {eta_formatted} left` : `${label} {value}`,
    formatValue: (value, _options, type) => (type === 'value' ? formatCount(value) : String(value)),
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 50,
  });
  bar.start(total, 0);
  let next = 0;
  return {
    update(value) {
      const now = performance.now();
      if (now < next) return;
      next = now + betweenUpdatesMs;
      bar.update(value);
    },
    stop: () => bar.stop(),
  };
}

/** The bar guesses the time that is left from its latest updates, so these must not be too close together. */
const betweenUpdatesMs = 100;
