import {
  diffNodes,
  type DiffSide,
  InvalidArgumentError,
  type ValueDiff,
  withoutPaths,
} from '@dacapo/evaluation';
import { readValue, type TestRunItemRecord } from '@dacapo/protocol';

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
  const groups = [...groupBy(items.filter(differs).map(compare), signature).entries()].flatMap(
    ([id, alike]) => splitByValues(id, alike),
  );
  return groups.sort((left, right) => right.items.length - left.items.length);
}

/** Whether the item has another outcome or other inner calls than its baseline. */
export function differs({ verdict, divergences = [], divergence_count: count }: TestRunItemRecord): boolean {
  return verdict !== 'same' || (count ?? divergences.length) > 0;
}

interface ComparedItem {
  item: TestRunItemRecord;
  /** What happened, if that says more than the values that changed. */
  title?: string;
  /** Empty with a title. */
  diffs: ValueDiff[];
}

function compare(item: TestRunItemRecord): ComparedItem {
  const title = titleOf(item);
  if (title !== undefined) return { item, title, diffs: [] };
  const diffs = diff(item);
  if (diffs.length > 0) return { item, diffs };
  const isOwn = item.compared_by?.same === true;
  return {
    item,
    title: isOwn ? 'Changed by its own comparison' : 'Changed, but the stored values are equal',
    diffs,
  };
}

/** The places that changed, or the title: equal for items that may be in one group. */
function signature({ title, diffs }: ComparedItem): string {
  return title ?? JSON.stringify(listPaths(diffs));
}

function listPaths(diffs: readonly ValueDiff[]): string[] {
  return [...new Set(diffs.map(({ path }) => path))];
}

function titleOf(item: TestRunItemRecord): string | undefined {
  const { verdict, error, original_error: originalError, erased } = item;
  if (erased) return `Erased, was ${verdict}`;
  if (verdict === 'same') return 'Different inner calls';
  if (verdict === 'unknown') return 'Cannot be compared';
  if (error !== undefined) return withoutNumbers(`${error.name}: ${error.message}`);
  if (verdict === 'error') return 'Error that was not stored';
  if (originalError !== undefined) return withoutNumbers(`No longer fails with ${originalError.name}`);
  return undefined;
}

/** Equal errors differ in ids and counts. Errors with different HTTP statuses are not equal. */
function withoutNumbers(text: string): string {
  return text
    .slice(0, 300)
    .replaceAll(/\b([45]\d\d)\b|\d+/g, (_, status: string | undefined) => status ?? '#');
}

function diff({ original_output, original_meta, result, meta, compared_by }: TestRunItemRecord): ValueDiff[] {
  const prune = pruneIgnored(compared_by?.ignore ?? []);
  const baseline = readValue({ json: original_output, meta: original_meta?.output });
  const candidate = readValue({ json: result, meta: meta?.output });
  return diffNodes(prune(baseline), prune(candidate)).map((one) => ({
    ...one,
    path: one.path.replaceAll(/\[\d+\]/g, '[]'),
  }));
}

/** Removes what the comparison ignored. Reporters' paths are stored unchecked: with an invalid one nothing is removed. */
function pruneIgnored(paths: readonly string[]): ReturnType<typeof withoutPaths> {
  try {
    return withoutPaths(paths.filter((path) => !path.startsWith('$error')));
  } catch (error) {
    if (error instanceof InvalidArgumentError) return (node) => node;
    throw error;
  }
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
