import { isJsonObject, type JsonValue, pointerTo } from '@dacapo/protocol';
import { answeredAtOnce } from '../../diagnostics/answer-at-once.js';
import { MASKED } from './token.js';

type Hook = (value: unknown, path: string) => unknown;

/**
 * Calls the hook with every value, containers before their contents, and uses what it returns.
 *
 * @param replaced receives the pointers of values that the hook replaced or modified, which count as not recorded
 * @throws what the hook throws; `TypeError` when it returns a promise
 */
export function applyHook(hook: Hook, json: JsonValue, replaced: string[]): JsonValue {
  const before = JSON.stringify(json);
  const answered = new Set<string>();
  const after = applyHookAt(hook, json, '', answered);
  replaced.push(...answered);
  // A hook may modify its argument and return the same object.
  if (JSON.stringify(after) !== before)
    noteChanges(JSON.parse(before) as JsonValue, after, '', answered, replaced);
  return after;
}

function applyHookAt(hook: Hook, json: JsonValue, pointer: string, answered: Set<string>): JsonValue {
  const answer = hook(json, pointer);
  if (answer !== json) {
    answered.add(pointer);
    return asJson(answer);
  }
  if (Array.isArray(json))
    return json.map((item, i) => applyHookAt(hook, item, pointerTo(pointer, i), answered));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      applyHookAt(hook, value, pointerTo(pointer, key), answered),
    ]),
  );
}

function asJson(answer: unknown): JsonValue {
  const text = JSON.stringify(answeredAtOnce('capture.redact', answer)) as string | undefined;
  return text === undefined ? MASKED : (JSON.parse(text) as JsonValue);
}

/** Notes where a value was modified in place. A container with other property names counts as replaced. */
function noteChanges(
  before: JsonValue,
  after: JsonValue,
  pointer: string,
  answered: ReadonlySet<string>,
  changed: string[],
): void {
  if (before === after || answered.has(pointer)) return;
  const [was, is] = [listEntries(before), listEntries(after)];
  if (Array.isArray(before) === Array.isArray(after) && haveSameNames(was, is))
    was.forEach(([name, value], i) => {
      noteChanges(value, is?.[i]?.[1] ?? null, pointerTo(pointer, name), answered, changed);
    });
  else changed.push(pointer);
}

type Entries = readonly (readonly [name: string, value: JsonValue])[];

function listEntries(json: JsonValue): Entries | undefined {
  return typeof json === 'object' && json !== null ? Object.entries(json) : undefined;
}

function haveSameNames(was: Entries | undefined, is: Entries | undefined): was is Entries {
  return was !== undefined && was.length === is?.length && was.every(([name], i) => name === is[i]?.[0]);
}
