import { collectChecks, countAgainstLimits, expectedItems } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import { formatCount, formatQuantity } from '../../../shared/format/format-count.js';
import type { RunFigures } from '../decision/read-summary.js';
import type { Change, ChangeGroup } from './group-changes.js';
import { ignorablePaths } from './judged-groups.js';

/** The checks that `countAgainstLimits` repeats. Any other failed check stays failed. */
const COUNTED = ['errors', 'newErrors', 'changed', 'unknown', 'diverged', 'minItems'];

/**
 * What the gate would decide if the changed places of the largest group were ignored, in all calls. Absent if no place can be ignored, if
 * the run did not fail, or if its client stored no checks.
 */
export function describeWithout(
  groups: readonly ChangeGroup[],
  run: Pick<TestRunRecord, 'status' | 'totals' | 'selection' | 'dataset' | 'expected_items' | 'repeat'>,
  { gate, checks, failures, passed }: Pick<RunFigures, 'gate' | 'checks' | 'failures' | 'passed'>,
): string | undefined {
  if (run.status !== 'finished' || passed !== false || gate === undefined || checks.length === 0)
    return undefined;
  const largest = groups.find((group) => ignorablePaths(group) !== undefined);
  if (largest === undefined) return undefined;
  const ignored = groups
    .filter(
      ({ changes }) => changes.length > 0 && changes.every((change) => isWithin(largest.changes, change)),
    )
    .flatMap(({ items }) => items)
    // The client's own comparison stays.
    .filter(({ compared_by: by }) => by?.same !== true).length;
  const changed = run.totals.changed - ignored;
  const totals = { ...run.totals, changed, same: run.totals.same + ignored };
  const { beyond } = countAgainstLimits(gate, totals, expectedItems(run));
  const others = collectChecks({ checks, failures }).filter(
    (check) => !check.passed && !COUNTED.includes(check.name),
  );
  const places = largest.changes.map(({ path }) => path.replace(/^\$\.?/, '')).join(', ');
  const left = `${formatCount(changed)} changed, ${formatQuantity(totals.error, 'error')}`;
  return `Without ${places}: ${left}: ${beyond.length + others.length === 0 ? 'would pass' : 'still fails'}.`;
}

function isWithin(places: readonly Change[], { path }: Change): boolean {
  return places.some(
    (place) => path === place.path || ['.', '['].some((step) => path.startsWith(place.path + step)),
  );
}
