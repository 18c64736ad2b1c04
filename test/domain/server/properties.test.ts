import fc from 'fast-check';
import { produce } from 'immer';
import { describe, expect, test } from 'vitest';
import { fold } from '../../../src/domain/kernel/aggregate.ts';
import { serverAggregate } from '../../../src/domain/server/index.ts';
import type { Server } from '../../../src/domain/server/state.ts';
import { type Condition, sameCondition } from '../../../src/domain/server/states.ts';
import { live, lives, unlessRefused, type Witness } from './lives.ts';

const inEveryLife = (witness: Witness) =>
  fc.assert(
    fc.property(lives, (life) => {
      live(life, witness);
    }),
    { numRuns: 400 },
  );

describe('in every life of a server', () => {
  test('a command that is repeated at once changes nothing', () => {
    inEveryLife((server, { type, data }) => {
      expect([type, data, unlessRefused(() => server.decide(type, data)) ?? []]).toEqual([type, data, []]);
    });
  });

  test('C010: there are as many changes of state as there are events that tell of one', () => {
    inEveryLife((server, _command, events, before) => {
      let condition: Condition = before;
      for (const { type, data } of events) {
        if (type !== 'ServerStateChanged') continue;
        const { from, to, cause } = data as { from: Condition; to: Condition; cause: string };
        expect(sameCondition(condition, from)).toBe(true);
        expect(sameCondition(from, to)).toBe(false);
        expect(cause).not.toBe('');
        condition = to;
      }
      expect(sameCondition(condition, server.state!)).toBe(true);
    });
  });

  test('what exists in one state only exists in that state', () => {
    inEveryLife(({ state }) => {
      const { vmState, build, pending, resizedFrom, operation, waits, guestReady, attempts, deletedAt } = state!;
      expect(build !== null).toBe(vmState === 'building');
      expect(pending !== null).toBe(vmState === 'pending');
      expect(resizedFrom !== null && vmState !== 'resized').toBe(false);
      expect(deletedAt !== undefined).toBe(vmState === 'deleted');
      expect(deletedAt !== undefined && operation !== null).toBe(false);
      const running = attempts.filter(({ outcome }) => outcome === 'running').map(({ number }) => number);
      expect(running).toEqual(build?.attempt == null ? [] : [build.attempt]);
      if (!operation && running.length === 0) expect({ waits, guestReady }).toEqual({ waits: [], guestReady: null });
      if (guestReady) expect(waits.filter(({ result }) => result === undefined)).not.toEqual([]);
    });
  });

  test('the fold is the same live, replayed, through immer, and from a snapshot that went through JSON', () => {
    fc.assert(
      fc.property(lives, fc.nat(), (life, where) => {
        const server = live(life, () => {});
        const stored = JSON.stringify(server.events);
        let replayed: Server | null = null;
        let drafted: Server | null = null;
        server.events.forEach((event, index) => {
          if (index === where % server.events.length) replayed = JSON.parse(JSON.stringify(replayed)) as Server | null;
          replayed = fold(serverAggregate, server.id, replayed, event);
          drafted = drafted
            ? produce(drafted, (draft: Server) => void fold(serverAggregate, server.id, draft, event))
            : fold(serverAggregate, server.id, null, event);
        });
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(server.state));
        expect(JSON.stringify(drafted)).toBe(JSON.stringify(server.state));
        expect(JSON.stringify(server.events)).toBe(stored);
      }),
      { numRuns: 400 },
    );
  });

  test('a deadline that fires is over', () => {
    inEveryLife((server, { type, data }) => {
      if (type !== 'DeadlinePassed') return;
      const left = serverAggregate.deadlines!(server.state!, null);
      expect(left.map(({ command }) => command.data)).not.toContainEqual(data);
    });
  });

  test('a deleted server stays deleted', () => {
    inEveryLife((server, _command, events, before) => {
      if (before.deletedAt === undefined) return;
      expect(server.view.status).toBe('DELETED');
      expect(events.filter(({ type }) => type !== 'ServerObserved')).toEqual([]);
    });
  });
});
