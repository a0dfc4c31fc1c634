import type { JsonValue } from '../json/json-value.js';

/** More steps of a name are one step. */
const MOST_STEPS = 32;

type Tree = Map<string, Tree | JsonValue>;

/** `{ '0.message.role': 'user' }` as `[{ message: { role: 'user' } }]`. Indexes order the items, however large they are. */
export function unflatten(entries: Iterable<readonly [name: string, value: JsonValue]>): JsonValue {
  const root: Tree = new Map();
  for (const [name, value] of entries) {
    const steps = name.split('.', MOST_STEPS);
    let tree = root;
    for (const step of steps.slice(0, -1)) {
      const next = tree.get(step);
      if (next instanceof Map) tree = next;
      else {
        const child: Tree = new Map();
        // `content` and `content.0.text` next to each other: the former has an empty name.
        if (next !== undefined) child.set('', next);
        tree.set(step, child);
        tree = child;
      }
    }
    const last = `${steps.at(-1) ?? ''}${name.slice(steps.join('.').length)}`;
    const inside = tree.get(last);
    if (inside instanceof Map) inside.set('', value);
    else tree.set(last, value);
  }
  return toJson(root);
}

function toJson(tree: Tree): JsonValue {
  const entries = [...tree].map(
    ([step, value]) => [step, value instanceof Map ? toJson(value) : value] as const,
  );
  if (entries.length > 0 && entries.every(([step]) => /^\d{1,9}$/.test(step)))
    return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, value]) => value);
  return Object.fromEntries(entries);
}
