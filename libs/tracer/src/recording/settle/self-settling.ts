import type { ActiveSpan } from '../active-span.js';

/** A result of an adapter that knows itself when it is done: it ends the span it is given. */
export const SETTLES = Symbol.for('@dacapo/settles');

export interface SelfSettling {
  [SETTLES](span: ActiveSpan): void;
}

export function isSelfSettling(result: object): result is SelfSettling {
  return typeof (result as Partial<SelfSettling>)[SETTLES] === 'function';
}
