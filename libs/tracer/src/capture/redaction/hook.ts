import { isJsonObject, type JsonValue } from '@dacapo/protocol';
import { pointerTo } from '../walk/json-pointer.js';
import { MASKED } from './token.js';

type Hook = (value: unknown, path: string) => unknown;

/**
 * Shows the hook every value, a container before what it holds, and takes what it answers instead.
 *
 * @param replaced gets the pointers of what it replaced
 * @throws what the hook throws; a `TypeError` when it answers with a promise
 */
export function applyHook(hook: Hook, json: JsonValue, pointer: string, replaced: string[]): JsonValue {
  const answer = hook(json, pointer);
  if (answer !== json) {
    replaced.push(pointer);
    return asJson(answer);
  }
  if (Array.isArray(json))
    return json.map((item, i) => applyHook(hook, item, pointerTo(pointer, i), replaced));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      applyHook(hook, value, pointerTo(pointer, key), replaced),
    ]),
  );
}

function asJson(answer: unknown): JsonValue {
  if (isThenable(answer)) {
    // Its failure is nobody's: unheard, it would end the host's process.
    Promise.resolve(answer).catch(() => undefined);
    throw new TypeError('capture.redact answered with a promise');
  }
  const text = JSON.stringify(answer) as string | undefined;
  return text === undefined ? MASKED : (JSON.parse(text) as JsonValue);
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}
