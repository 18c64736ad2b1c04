import { describe, expect, test } from 'vitest';
import { roleForCommand } from '../../src/api/access/roles.ts';
import { aggregates } from '../../src/domain/aggregates.ts';

describe('who may give a command', () => {
  const commands = Object.values(aggregates).flatMap((aggregate) => Object.keys(aggregate.commands));

  test.each(commands.filter((type) => /^(Report|Observe)|^Heartbeat$/.test(type)))(
    '%s is what those say who do the work, so an agent may',
    (type) => {
      expect(roleForCommand(type)).toBe('agent');
    },
  );

  test('what is not named is for an operator', () => {
    expect(roleForCommand('StopServer')).toBe('operator');
    expect(roleForCommand('ResetServerState')).toBe('admin');
  });
});
