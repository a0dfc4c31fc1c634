import { diffNodes, InvalidArgumentError, type ValueDiff, withoutPaths } from '@dacapo/evaluation';
import { readValue, type TestRunItemRecord } from '@dacapo/protocol';

/** An item with what changed. */
export interface ComparedItem {
  item: TestRunItemRecord;
  /** What happened, if that says more than the values that changed. */
  title?: string;
  /** Empty with a title. */
  diffs: ValueDiff[];
}

export function compareItem(item: TestRunItemRecord): ComparedItem {
  const title = readTitle(item);
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

function readTitle(item: TestRunItemRecord): string | undefined {
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
