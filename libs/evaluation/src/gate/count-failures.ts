import type { RunSummary, RunTotals } from '../run/run.js';
import { countByLimit, type LimitedCounts } from './count-against-limits.js';
import type { Failure, Gate } from './gate.js';
import { plural } from './words.js';

/** Failures of the limits on counts of items. */
export function countFailures(summary: RunSummary, gate: Gate): Failure[] {
  const { totals, unplayed = 0 } = summary;
  const failures: Failure[] = [];
  const fail = (check: string, sentence: string): unknown => failures.push({ check, sentence });
  const { minItems = 1 } = gate;
  if (totals.items < minItems) {
    fail(
      'minItems',
      totals.items === 0
        ? 'No item was replayed. Check that the key exists and that the selection finds calls.'
        : `${plural(totals.items, 'item was', 'items were')} replayed; the gate requires at least ${minItems}.`,
    );
  }
  if (totals.missing > 0)
    fail(
      'complete',
      `${plural(totals.missing, 'selected item is', 'selected items are')} missing from the run.`,
    );
  if (totals.unstored > 0)
    fail(
      'complete',
      `${plural(totals.unstored, 'replayed item was', 'replayed items were')} not stored by the service.`,
    );
  if (unplayed > 0 && gate.errors === undefined)
    fail(
      'newErrors',
      `${plural(unplayed, 'item', 'items')} could not be replayed. Fix the errors, or set errors to the number to allow.`,
    );
  const of = `of ${plural(totals.items, 'item', 'items')}`;
  const limit = (name: 'errors' | 'changed' | 'unknown' | 'diverged', count: number, what: string): void => {
    const allowed = gate[name];
    if (allowed === undefined || count <= allowed) return;
    const most = allowed === 0 ? 'none' : `at most ${allowed}`;
    fail(name, `${count} ${of} ${what}; the gate allows ${most}.`);
  };
  const counts = countByLimit({ ...summary.totals, new_errors: summary.totals.newErrors }, gate);
  // Items that could not be replayed already fail the gate.
  if (counts.newErrors > unplayed) fail('newErrors', newErrorFailure(counts.newErrors, totals.items, gate));
  limit('errors', counts.errors, totals.error === 1 ? 'has an error' : 'have errors');
  limit('changed', counts.changed, changedWords(counts, totals));
  limit('unknown', counts.unknown, 'cannot be compared');
  limit('diverged', totals.diverged, 'made other inner calls than the recording');
  return failures;
}

function newErrorFailure(count: number, items: number, { changed }: Gate): string {
  const allow = changed === undefined ? 'set errors' : 'set errors and raise changed';
  const fail = count === 1 ? 'fails and did not fail before' : 'fail and did not fail before';
  return `${count} of ${plural(items, 'item', 'items')} ${fail}. Fix ${count === 1 ? 'it' : 'them'}, or ${allow} to allow a number.`;
}

/** `changed`, or the number of items of each kind if the limit counts more than changed ones. */
function changedWords(counts: LimitedCounts, { changed, unknown, newErrors }: RunTotals): string {
  if (counts.changed === changed) return 'changed';
  const uncompared = counts.unknown === 0 ? unknown : 0;
  const failing = counts.changed - changed - newErrors - uncompared;
  const kinds = [
    `${changed} changed`,
    ...(newErrors > 0 ? [plural(newErrors, 'new error', 'new errors')] : []),
    ...(failing > 0
      ? [`${failing} failed before and ${failing === 1 ? 'fails' : 'fail'} differently now`]
      : []),
    ...(uncompared > 0 ? [`${uncompared} cannot be compared`] : []),
  ];
  return `${counts.changed === 1 ? 'counts' : 'count'} as changed (${kinds.join(', ')})`;
}

/** Errors that no limit counts, except new ones and items that could not be replayed. */
export function errorNotes(summary: RunSummary, gate: Gate): string[] {
  const { errors, newErrors } = countByLimit(
    { ...summary.totals, new_errors: summary.totals.newErrors },
    gate,
  );
  const failing = errors - newErrors - (summary.unplayed ?? 0);
  if (gate.errors !== undefined || failing <= 0) return [];
  return [
    `${plural(failing, 'item failed before and fails', 'items failed before and fail')} differently now. The gate has no limit for errors.`,
  ];
}
