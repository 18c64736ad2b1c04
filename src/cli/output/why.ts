import type { Condition, Explanation, Hint, Owner, Proof, Remedy, Why } from '../../domain/why/explanation.ts';
import { ageAt } from './duration.ts';
import type { Paint, Style } from './style.ts';

type Told = Explanation<Proof>;

/**
 * An explanation as a tree: what is not met before what is, causes under what they cause.
 *
 *     port web-1-eth0 is BUILD for 4 min: stuck
 *     ✗ L2: the Open vSwitch agent on c-17 must report ..., and is dead  (4 min; nobody can lift it as things are)
 *       └ agent Open vSwitch agent on c-17 is dead: stuck
 *         ✗ ... silent since 12:00:31  (4 min; an operator: start it again)
 *     ✓ It is bound to c-17 by openvswitch as ovs.  (5 min)
 */
export class WhyLines {
  readonly #style: Style;
  readonly #url: string;
  #now = '';

  /** @param url where commands are to be sent */
  constructor(style: Style, url: string) {
    this.#style = style;
    this.#url = url;
  }

  lines(why: Why): string[] {
    this.#now = why.at.time;
    const { bold, dim } = this.#style;
    const waiting = why.waitedForBy.map(
      ({ resource, what, since, deadline }) =>
        `${resource.kind} ${resource.name ?? resource.id} waits for this (${what}, ${this.#age(since)}${deadline === null ? '' : `, until ${deadline}`})`,
    );
    return [
      `${this.#heading(why)}`,
      ...this.#body(why, ''),
      ...waiting.map((line) => `  ${line}`),
      ...(why.causes.length === 0
        ? []
        : ['', bold(why.causes.length === 1 ? 'At the bottom:' : 'At the bottom, first cause first:')]),
      ...why.causes.flatMap((cause) => [`  ${cause.summary}`, ...this.#wayOut(cause.clearable, '    ')]),
      ...(why.partial
        ? ['', dim('Something was left out: too many resources, or read models that do not answer yet.')]
        : []),
      dim(`\nAs of ${why.at.time}, revision ${why.at.revision}.`),
    ];
  }

  #heading({ resource, status, since, verdict, summary }: Told): string {
    const { bold, red, yellow, green, dim } = this.#style;
    const paints: Readonly<Record<Told['verdict'], Paint>> = {
      fine: green,
      waiting: yellow,
      stuck: red,
      gone: dim,
      unknown: dim,
    };
    const lasting = since === null ? '' : ` for ${this.#age(since)}`;
    const name = resource.name === null ? resource.id : `${resource.name} (${resource.id})`;
    const told = verdict === 'waiting' || verdict === 'stuck' ? '' : ` ${summary}`;
    return `${resource.kind} ${bold(name)} is ${bold(status)}${lasting}: ${paints[verdict](verdict)}.${told}`;
  }

  #body({ conditions, hints, elided }: Told, indent: string): string[] {
    if (elided === 'told-elsewhere') return [this.#style.dim(`${indent}  (told elsewhere in this tree)`)];
    if (elided === 'too-deep') return [this.#style.dim(`${indent}  (ask for it by itself to see why)`)];
    return [
      ...conditions.flatMap((condition) => this.#condition(condition, indent)),
      ...hints.map((hint) => this.#hint(hint, indent)),
    ];
  }

  #condition({ met, summary, since, owner, clearable, proof, because }: Condition<Proof>, indent: string): string[] {
    const { green, red, dim } = this.#style;
    const sign = met ? green('✓') : red('✗');
    const events = proof.map(({ type, revision }) => `${type} @${revision}`).join(', ');
    const who = met || owner === null ? '' : `; ${describeOwner(owner, (at) => this.#age(at))}`;
    const lift = clearable ? `; ${lifters[clearable.by]}` : '';
    return [
      `${indent}${sign} ${summary}`,
      dim(`${indent}    for ${this.#age(since)}${who}${lift}${events === '' ? '' : `; ${events}`}`),
      ...because.flatMap((other) => [`${indent}  └ ${this.#heading(other)}`, ...this.#body(other, `${indent}    `)]),
    ];
  }

  #hint({ kind, summary, since }: Hint<Proof>, indent: string): string {
    const { yellow, dim } = this.#style;
    return `${indent}${kind === 'note' ? dim('·') : yellow('!')} ${summary} ${dim(`(${this.#age(since)})`)}`;
  }

  #wayOut(clearable: Condition<Proof>['clearable'], indent: string): string[] {
    if (!clearable) return [];
    const deadline = clearable.deadline === null ? '' : ` By itself it is over at ${clearable.deadline}.`;
    return [
      `${indent}${clearable.how}${deadline}`,
      ...(clearable.command && needsSomebody.includes(clearable.by)
        ? [this.#style.cyan(`${indent}${curlOf(this.#url, clearable.command)}`)]
        : []),
    ];
  }

  #age(since: string): string {
    return ageAt(this.#now, since);
  }
}

const lifters = {
  itself: 'passes by itself',
  owner: 'its owner can lift it',
  operator: 'an operator must act',
  nobody: 'nobody can lift it as things are',
} as const;

/** Where an owner is at work, the command that overrules him is not offered. */
const needsSomebody: readonly string[] = ['operator', 'nobody'];

function describeOwner({ kind, id, alive, lastSeenAt }: Owner, age: (at: string) => string): string {
  const life = alive === null ? '' : alive ? ', alive' : ', dead';
  const seen = lastSeenAt === null ? '' : `, last heard ${age(lastSeenAt)} ago`;
  return `${kind} ${id}${life}${seen}`;
}

/** The command as a line for a shell. */
export const curlOf = (url: string, { path, body }: Remedy): string =>
  `curl -X POST ${url.replace(/\/$/, '')}${path} -H 'content-type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
