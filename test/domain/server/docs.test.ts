import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { actionNames } from '../../../src/domain/server/actions.ts';
import { serverCommands } from '../../../src/domain/server/commands.ts';
import { verdicts } from '../../../src/domain/server/events.ts';
import { vmStates } from '../../../src/domain/server/states.ts';

const page = readFileSync(new URL('../../../docs/servers.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/tell '(\{.*\})'/g)].map(([, json]) => json!.replaceAll('<port id>', 'port-1'));

describe('the page on servers', () => {
  test.each(examples)('%s is a command', (json) => {
    const { type, data = {} } = JSON.parse(json) as { type: keyof typeof serverCommands; data?: object };
    expect(serverCommands[type].safeParse(data).error).toBeUndefined();
  });

  test('has examples, and names every action, state and verdict', () => {
    expect(examples.length).toBeGreaterThan(10);
    const missing = [...actionNames, ...vmStates, ...verdicts].filter((word) => !page.includes(word));
    expect(missing).toEqual([]);
  });

  test('names every command but those whose name says it all', () => {
    const told = Object.keys(serverCommands).filter((command) => !page.includes(command));
    expect(told).toEqual(['UpdateServer', 'AttachInterface', 'DetachInterface', 'DeadlinePassed']);
  });
});
