import type { Registry } from 'prom-client';

/** From a quarter of a millisecond to ten seconds: an fsync of a good disk, and a reader who waits. */
const secondsBuckets = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  /** How many fell into each bucket, and at the end those above all. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram as Prometheus knows it. prom-client's own sorts and joins the labels at each observation, which costs as much
 * as deciding a command; this one is handed a key by those who observe, and does that work when it is read.
 */
export class Durations {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  /** @param key tells the labels apart; `labels` is asked once for each */
  observe(key: string, labels: () => Labels, seconds: number): void {
    let series = this.#series.get(key);
    if (!series) {
      series = { labels: labels(), counts: new Array(secondsBuckets.length + 1).fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    let bucket = 0;
    while (bucket < secondsBuckets.length && seconds > secondsBuckets[bucket]!) bucket += 1;
    series.counts[bucket]! += 1;
    series.sum += seconds;
  }

  registerIn(registry: Registry): this {
    registry.registerMetric(this as never); // the registry asks a metric for its name and for `get`, nothing else
    return this;
  }

  /** What prom-client's registry writes out. */
  async get() {
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        const le = index < secondsBuckets.length ? secondsBuckets[index]! : '+Inf';
        return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${this.name}_sum`, labels, value: sum },
        { metricName: `${this.name}_count`, labels, value: total },
      ];
    });
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  reset(): void {
    this.#series.clear();
  }
}
