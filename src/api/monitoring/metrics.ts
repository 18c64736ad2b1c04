import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Refusal } from '../../domain/kernel/refusal.ts';
import type { Kind } from '../../domain/kernel/resource.ts';
import type { FlowsObserver } from '../../runtime/flows.ts';
import type { RuntimeObserver } from '../../runtime/observer.ts';
import { Durations } from './durations.ts';

/** What is counted, and how it is told to Prometheus. Labels are of kinds, types and routes, never of ids. */
export class Metrics implements RuntimeObserver, FlowsObserver {
  readonly #registry = new Registry();
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });

  readonly #commands = this.#counter('commands_total', 'Commands that were settled.', ['kind', 'type', 'outcome']);
  readonly #refusals = this.#counter('refusals_total', 'Commands that the rules refused, by problem.', ['problem']);
  readonly #racesLost = this.#counter('races_lost_total', 'Commands decided anew because others were faster.', [
    'kind',
  ]);
  readonly #unknownEvents = this.#counter('unknown_events_total', 'Recorded events this program does not know.', [
    'kind',
    'type',
  ]);
  readonly #failures = this.#counter('background_failures_total', 'Failures nobody waited for.', ['what']);
  readonly #archivedStreams = this.#counter('archived_streams_total', 'Deleted resources that were archived.', []);
  readonly #archivedEvents = this.#counter('archived_events_total', 'Their events.', []);
  readonly #appends = this.#durations(
    'append_duration_seconds',
    'From handing events to the store until they were safe.',
  );
  readonly #requests = this.#durations('http_request_duration_seconds', 'From a request to the end of its answer.');
  /** Commands that were settled since the last scrape, by kind, type and outcome: counted in when somebody looks. */
  readonly #settled = new Map<
    string,
    { readonly labels: Record<'kind' | 'type' | 'outcome', string>; count: number }
  >();
  readonly #flowRefusals = this.#counter(
    'flow_refusals_total',
    'Commands of process managers that were refused for good.',
    ['flow', 'problem'],
  );
  readonly #subscribers = this.#gauge('event_stream_readers', 'Readers of event streams now.');

  /** Told of commands of process managers that were refused for good. */
  onFlowRefusal: (flow: string, command: string, refusal: Refusal) => void = () => {};

  /** Told of failures that nobody waits for. */
  onBackgroundFailure: (what: string, error: unknown) => void = () => {};

  constructor() {
    this.#loopDelay.enable();
    this.#gauge(
      'event_loop_lag_seconds',
      'How long the event loop was late, since the last scrape.',
      ['quantile'],
      (gauge) => {
        for (const quantile of [50, 99, 100]) {
          gauge.set(
            { quantile: String(quantile / 100) },
            Math.max(this.#loopDelay.percentile(quantile) - 20e6, 0) / 1e9,
          );
        }
        this.#loopDelay.reset();
      },
    );
    this.#gauge('process_resident_memory_bytes', 'Resident memory.', [], (gauge) =>
      gauge.set(process.memoryUsage.rss()),
    );
    this.#gauge('process_cpu_seconds', 'Processor time used so far.', [], (gauge) => {
      const { user, system } = process.cpuUsage();
      gauge.set((user + system) / 1e6);
    });
    this.#gauge('process_uptime_seconds', 'How long the process has been running.', [], (gauge) =>
      gauge.set(process.uptime()),
    );
  }

  /** Shows a number that somebody else keeps. */
  watch(name: string, help: string, read: () => number): void {
    this.#gauge(name, help, [], (gauge) => gauge.set(read()));
  }

  /** Shows numbers that somebody else keeps, by a label; none where they cannot be had at the moment. */
  watchEach(name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>): void {
    this.#gauge(name, help, [label], async (gauge) => {
      const numbers = await read().catch(() => new Map<string, number>());
      gauge.reset();
      for (const [value, number] of numbers) gauge.set({ [label]: value }, number);
    });
  }

  commandSettled({ kind, type, outcome, slug }: Parameters<NonNullable<RuntimeObserver['commandSettled']>>[0]): void {
    const key = `${kind}/${type}/${outcome}`;
    const settled = this.#settled.get(key);
    if (settled) settled.count += 1;
    else this.#settled.set(key, { labels: { kind, type, outcome }, count: 1 });
    if (slug !== undefined) this.#refusals.inc({ problem: slug });
  }

  raceLost(kind: Kind): void {
    this.#racesLost.inc({ kind });
  }

  unknownEvent(kind: Kind, type: string): void {
    this.#unknownEvents.inc({ kind, type });
  }

  snapshotFailed(error: unknown): void {
    this.backgroundFailed('snapshot', error);
  }

  deadlineFailed(error: unknown): void {
    this.backgroundFailed('deadline', error);
  }

  followFailed(error: unknown): void {
    this.backgroundFailed('flows', error);
  }

  checkpointFailed(error: unknown): void {
    this.backgroundFailed('checkpoint', error);
  }

  reactionFailed(event: { readonly type: string }, error: unknown): void {
    this.backgroundFailed(`reaction to ${event.type}`, error);
  }

  commandRefused(flow: string, _event: unknown, command: { readonly type: string }, refusal: Refusal): void {
    this.#flowRefusals.inc({ flow, problem: refusal.slug });
    this.onFlowRefusal(flow, command.type, refusal);
  }

  backgroundFailed(what: string, error: unknown): void {
    this.#failures.inc({ what });
    this.onBackgroundFailure(what, error);
  }

  archived({ streams, events }: { readonly streams: number; readonly events: number }): void {
    this.#archivedStreams.inc(streams);
    this.#archivedEvents.inc(events);
  }

  appended(seconds: number, outcome: 'stored' | 'failed'): void {
    this.#appends.observe(outcome, () => ({ outcome }), seconds);
  }

  answered(method: string, route: string, status: number, seconds: number): void {
    const labels = () => ({ method, route, status: String(status) });
    this.#requests.observe(`${method} ${route} ${status}`, labels, seconds);
  }

  subscribersChanged(by: 1 | -1): void {
    this.#subscribers.inc(by);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    for (const settled of this.#settled.values()) {
      this.#commands.inc(settled.labels, settled.count);
      settled.count = 0;
    }
    return this.#registry.metrics();
  }

  close(): void {
    this.#loopDelay.disable();
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `stackledger_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #durations(name: string, help: string): Durations {
    return new Durations(`stackledger_${name}`, help).registerIn(this.#registry);
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = [], collect?: (gauge: Gauge) => unknown): Gauge {
    const options = { name: `stackledger_${name}`, help, labelNames, registers: [this.#registry] };
    return new Gauge({
      ...options,
      ...(collect && {
        async collect() {
          await collect(this);
        },
      }),
    });
  }
}
