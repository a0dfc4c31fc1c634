import { isJsonObject, type JsonValue, pointerTo } from '@dacapo/protocol';
import { answeredAtOnce } from '../../diagnostics/answer-at-once.js';
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
  const text = JSON.stringify(answeredAtOnce('capture.redact', answer)) as string | undefined;
  return text === undefined ? MASKED : (JSON.parse(text) as JsonValue);
}
