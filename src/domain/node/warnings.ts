import { kindOf } from './provision-machine.ts';
import type { Node } from './state.ts';

/** Signs that a node's record does not hold together, each with what it means. */
const detectors: Readonly<Record<string, (node: Node) => string | null>> = {
  'stable-state-with-target': ({ provisionState, targetProvisionState: target }) =>
    target && kindOf(provisionState) === 'stable'
      ? `The node is ${provisionState}, where it would stay, and yet on the way to ${target}.`
      : null,

  'error-contradicts-state': ({ provisionState, lastError, powerState, maintenance }) =>
    lastError && provisionState === 'active' && powerState === 'power on' && !maintenance
      ? 'The node is active, powered on and not in maintenance; the error is likely to be an old one.'
      : null,

  'work-without-lock': ({ provisionState, reservation }) =>
    kindOf(provisionState) === 'working' && !reservation
      ? `The node is ${provisionState}, and nobody holds the lock that work needs.`
      : null,
};

interface Warning {
  readonly sign: string;
  readonly detail: string;
}

export const warningsOf = (node: Node): Warning[] =>
  Object.entries(detectors).flatMap(([sign, detect]) => {
    const detail = detect(node);
    return detail === null ? [] : [{ sign, detail }];
  });
