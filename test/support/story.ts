import { expect, test } from 'vitest';
import type { Actor } from '../../src/domain/kernel/actor.ts';
import { type Aggregate, decide, type Facts, fold, type Lifetime, viewOf } from '../../src/domain/kernel/aggregate.ts';
import { type DomainEvent, encode } from '../../src/domain/kernel/events.ts';
import { Refusal } from '../../src/domain/kernel/refusal.ts';

export const someone: Actor = { type: 'user', id: 'someone' };

/** One resource outside any runtime: commands in, events and state out. A second passes with each event. */
export class Resource<S extends Lifetime> {
  readonly aggregate: Aggregate<S>;
  readonly id: string;
  state: S | null = null;
  revision = -1;
  now = Date.parse('2026-01-01T00:00:00.000Z');
  /** Facts beside time, actor and resource. */
  facts: object = {};
  actor: Actor = someone;

  constructor(aggregate: Aggregate<S>, id = '11111111-1111-1111-1111-111111111111') {
    this.aggregate = aggregate;
    this.id = id;
  }

  /** Decides a command as a caller writes it. @throws Refusal, or a zod error where the command is malformed */
  decide(type: string, data: object = {}): DomainEvent[] {
    const schema = this.aggregate.commands[type];
    if (!schema) throw new Error(`no command ${type}`);
    const { kind } = this.aggregate;
    const time = new Date(this.now).toISOString();
    const facts: Facts = { time, actor: this.actor, resource: { kind, id: this.id }, ...this.facts };
    const parsed = this.aggregate.internal?.includes(type) ? data : schema.parse(data);
    return decide(this.aggregate, this.state, { type, data: parsed }, facts);
  }

  /** Decides a command and folds what follows from it. */
  execute(type: string, data: object = {}): DomainEvent[] {
    try {
      const events = this.decide(type, data);
      for (const event of events) this.record(event);
      return events;
    } catch (error) {
      if (error instanceof Refusal) for (const event of error.recorded) this.record(event);
      throw error;
    }
  }

  record(event: DomainEvent): void {
    const { type, v, data } = encode(this.aggregate.events, event);
    this.now += 1000;
    this.revision += 1;
    const recorded = {
      id: `00000000-0000-5000-8000-${String(this.revision).padStart(12, '0')}`,
      revision: this.revision,
      time: new Date(this.now).toISOString(),
      type,
      v,
      data: JSON.parse(JSON.stringify(data)),
    };
    this.state = fold(this.aggregate, this.id, this.state, recorded);
  }

  /** The slug of the refusal a command meets. */
  refusalOf(type: string, data: object = {}): string {
    try {
      this.decide(type, data);
    } catch (error) {
      if (error instanceof Refusal) return error.slug;
      throw error;
    }
    throw new Error(`${type} was not refused`);
  }

  get view(): Record<string, unknown> {
    if (!this.state) throw new Error('there is nothing to see');
    return viewOf(this.aggregate, this.state) as Record<string, unknown>;
  }
}

type Step = (resource: Resource<Lifetime>) => void;
type CommandLine = { type: string; data?: object };

/** A story told as a chain; each `when` and what follows it is one step of one test. */
class Story {
  readonly #steps: Step[] = [];
  #last: () => DomainEvent[] = () => [];
  #refused: string | undefined;

  /** A command is given; its events are folded. A refusal fails the story, unless `refused` is told of it. */
  when(type: string, data: object = {}): this {
    return this.#step((resource) => {
      this.#hearRefusal();
      try {
        const events = resource.execute(type, data);
        this.#last = () => events;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.#refused = error.slug;
        this.#last = () => [];
      }
    });
  }

  /** The types of the events that the last command led to. */
  events(...types: string[]): this {
    return this.#step(() => {
      expect(this.#refused).toBeUndefined();
      expect(this.#last().map((event) => event.type)).toEqual(types);
    });
  }

  /** The events that the last command led to, with their data. */
  leadsTo(...events: DomainEvent[]): this {
    return this.#step(() => {
      expect(this.#refused).toBeUndefined();
      expect(this.#last()).toEqual(events);
    });
  }

  refused(slug: string): this {
    return this.#step(() => {
      expect(this.#refused).toBe(slug);
      this.#refused = undefined;
    });
  }

  /** Part of the state as people see it. */
  state(part: object): this {
    return this.#step((resource) => expect(resource.view).toMatchObject(part));
  }

  /** What decisions know from here on, besides time, actor and resource. */
  knowing(facts: object): this {
    return this.#step((resource) => {
      resource.facts = facts;
    });
  }

  after(milliseconds: number): this {
    return this.#step((resource) => {
      resource.now += milliseconds;
    });
  }

  #hearRefusal(): void {
    expect(this.#refused, 'a refusal that the story does not tell of').toBeUndefined();
  }

  #step(step: Step): this {
    this.#steps.push(step);
    return this;
  }

  play(resource: Resource<Lifetime>): void {
    for (const step of this.#steps) step(resource);
    this.#hearRefusal();
  }
}

/** `story('what it shows', portAggregate, [{type: 'CreatePort'}], (it) => it.when(...).then(...))` */
export function story<S extends Lifetime>(
  title: string,
  aggregate: Aggregate<S>,
  given: readonly CommandLine[],
  tell: (story: Story) => Story,
): void {
  test(title, () => {
    const resource = new Resource(aggregate);
    for (const { type, data } of given) resource.execute(type, data);
    tell(new Story()).play(resource as unknown as Resource<Lifetime>);
  });
}
