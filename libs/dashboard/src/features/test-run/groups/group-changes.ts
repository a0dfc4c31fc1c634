import { diffNodes, type ValueDiff } from '@dacapo/evaluation';
import { readValue, type TestRunItemRecord } from '@dacapo/protocol';

/** Calls that changed in the same way. */
export interface ChangeGroup {
  /** Unique among the groups of a run. */
  id: string;
  /** What changed. Empty for errors and for outcomes that cannot be compared. */
  changes: Change[];
  /** What happened when no value changed, such as the new error. */
  title?: string;
  isError: boolean;
  items: TestRunItemRecord[];
}

/** A place whose value changed. The values are absent when they differ from call to call. */
export interface Change {
  path: string;
  baseline?: string;
  candidate?: string;
}

/** Groups the items that differ from their baseline, the largest group first. */
export function groupChanges(items: readonly TestRunItemRecord[]): ChangeGroup[] {
  const groups = [...groupBy(items.filter(differs), signature).entries()].flatMap(([id, alike]) =>
    splitByValues(id, alike),
  );
  return groups.sort((left, right) => right.items.length - left.items.length);
}

/** Whether the item has another outcome or other inner calls than its baseline. */
export function differs({ verdict, divergences = [], divergence_count: count }: TestRunItemRecord): boolean {
  return verdict !== 'same' || (count ?? divergences.length) > 0;
}

/** The places that changed, or the error: equal for items that may be in one group. */
function signature(item: TestRunItemRecord): string {
  const title = titleOf(item);
  return title ?? JSON.stringify(diff(item).map(({ path }) => path));
}

function titleOf(item: TestRunItemRecord): string | undefined {
  const { verdict, error, original_error: originalError } = item;
  if (error !== undefined) return withoutNumbers(`${error.name}: ${error.message}`);
  if (verdict === 'same') return 'Different inner calls';
  if (verdict === 'unknown') return 'Cannot be compared';
  if (originalError !== undefined) return withoutNumbers(`No longer fails with ${originalError.name}`);
  return undefined;
}

/** Ids and counts in messages keep equal errors apart. */
function withoutNumbers(text: string): string {
  return text.slice(0, 300).replaceAll(/\d+/g, '#');
}

function diff({ original_output, original_meta, result, meta }: TestRunItemRecord): ValueDiff[] {
  const baseline = readValue({ json: original_output, meta: original_meta?.output });
  const candidate = readValue({ json: result, meta: meta?.output });
  return diffNodes(baseline, candidate).map((one) => ({
    ...one,
    path: one.path.replaceAll(/\[\d+\]/g, '[]'),
  }));
}

/** Splits items with changes at the same places by the values of those places that have few. */
function splitByValues(id: string, items: TestRunItemRecord[]): ChangeGroup[] {
  const [first] = items;
  const title = first && titleOf(first);
  if (title !== undefined) {
    return [{ id, title, changes: [], isError: first?.error !== undefined, items }];
  }
  const found = items.map((item) => ({ item, diffs: diff(item) }));
  const paths = [...new Set(found.flatMap(({ diffs }) => diffs.map(({ path }) => path)))];
  const telling = paths.filter((path) => {
    const count = new Set(found.map(({ diffs }) => JSON.stringify(valuesAt(diffs, path)))).size;
    return count === 1 || count * 2 <= items.length;
  });
  const split = groupBy(found, ({ diffs }) => JSON.stringify(telling.map((path) => valuesAt(diffs, path))));
  return [...split.entries()].map(([values, alike]) => ({
    id: `${id} ${values}`,
    changes: [...telling, ...paths.filter((path) => !telling.includes(path))].map((path) => ({
      path,
      ...(telling.includes(path) && valuesAt(alike[0]?.diffs ?? [], path)),
    })),
    isError: false,
    items: alike.map(({ item }) => item),
  }));
}

function valuesAt(diffs: readonly ValueDiff[], path: string): Pick<Change, 'baseline' | 'candidate'> {
  const found = diffs.find((one) => one.path === path);
  return {
    ...(found?.before && { baseline: found.before.text }),
    ...(found?.now && { candidate: found.now.text }),
  };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
