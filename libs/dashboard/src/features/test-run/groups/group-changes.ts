import type { DiffSide, ValueDiff } from '@dacapo/evaluation';
import type { TestRunItemRecord } from '@dacapo/protocol';
import { type ComparedItem, compareItem } from './compared-item.js';

/** Calls that changed in the same way. */
export interface ChangeGroup {
  /** Unique among the groups of a run. */
  id: string;
  /** What changed. Empty with a title. */
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
  const groups = [...groupBy(items.filter(differs).map(compareItem), signature).entries()].flatMap(
    ([id, alike]) => splitByValues(id, alike),
  );
  return groups.sort((left, right) => right.items.length - left.items.length);
}

/** Whether the item has another outcome or other inner calls than its baseline. */
export function differs({ verdict, divergences = [], divergence_count: count }: TestRunItemRecord): boolean {
  return verdict !== 'same' || (count ?? divergences.length) > 0;
}

/** The places that changed, or the title: equal for items that may be in one group. */
function signature({ title, diffs }: ComparedItem): string {
  return title ?? JSON.stringify(listPaths(diffs));
}

function listPaths(diffs: readonly ValueDiff[]): string[] {
  return [...new Set(diffs.map(({ path }) => path))];
}

/** Splits items with changes at the same places by the values of those places that have few. */
function splitByValues(id: string, compared: ComparedItem[]): ChangeGroup[] {
  const [first] = compared;
  if (first?.title !== undefined) {
    const items = compared.map(({ item }) => item);
    return [{ id, title: first.title, changes: [], isError: first.item.verdict === 'error', items }];
  }
  const paths = listPaths(first?.diffs ?? []);
  const telling = paths.filter((path) => {
    const count = new Set(compared.map(({ diffs }) => JSON.stringify(valuesAt(diffs, path)))).size;
    return count === 1 || count * 2 <= compared.length + 1;
  });
  const split = groupBy(compared, ({ diffs }) =>
    JSON.stringify(telling.map((path) => valuesAt(diffs, path))),
  );
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

/** The two values at a path. Without values if several places have this path, or if a value was cut. */
function valuesAt(diffs: readonly ValueDiff[], path: string): Pick<Change, 'baseline' | 'candidate'> {
  const [found, ...others] = diffs.filter((one) => one.path === path);
  if (others.length > 0 || isCut(found?.before) || isCut(found?.now)) return {};
  return {
    ...(found?.before && { baseline: found.before.text }),
    ...(found?.now && { candidate: found.now.text }),
  };
}

/** A text is cut at its end, other values anywhere. */
function isCut(side: DiffSide | undefined): boolean {
  if (side === undefined) return false;
  return side.type === 'text' ? side.text.endsWith('…') : side.text.includes('…');
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
