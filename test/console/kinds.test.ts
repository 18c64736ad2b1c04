import { expect, test } from 'vitest';
import { answerBehind } from '../../console/lib/kinds.ts';

test.each([
  ['/', '', '/v1/overview'],
  ['/search', '?q=web', '/v1/search?q=web'],
  ['/ports', '?status=BUILD', '/v1/ports?status=BUILD'],
  ['/ports/x', '?at=4', '/v1/ports/x?at=4'],
])('a page that cannot be drawn at %s%s leads to %s', (pathname, search, answer) => {
  expect(answerBehind({ pathname, search })).toBe(answer);
});
