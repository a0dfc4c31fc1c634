import { contextStorage } from '../../context/context-storage.js';
import type { ActiveSpan } from '../active-span.js';

/** Calls a method of a result inside the span that the result belongs to, so that what it does nests there. */
export function callInSpan(
  span: ActiveSpan,
  method: unknown,
  self: unknown,
  args: readonly unknown[],
): unknown {
  return contextStorage.run(span, () => Reflect.apply(method as (...all: unknown[]) => unknown, self, args));
}
