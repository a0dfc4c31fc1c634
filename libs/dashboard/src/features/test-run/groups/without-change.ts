import { countsBeside, expectedItems } from '@dacapo/evaluation';
import type { TestRunRecord } from '@dacapo/protocol';
import { formatCount, formatQuantity } from '../../../shared/format/format-count.js';
import type { RunFigures } from '../decision/read-summary.js';
import type { ChangeGroup } from './group-changes.js';

/** The checks that `countsBeside` repeats. Any other failed check stays failed. */
const COUNTED = ['errors', 'newErrors', 'changed', 'unknown', 'diverged', 'minItems'];

/**
 * What the gate would decide if the changed places of the largest group were ignored. Absent if no place changed, if the run did not
 * fail, or if its client stored no checks.
 */
export function describeWithout(
  groups: readonly ChangeGroup[],
  run: Pick<TestRunRecord, 'totals' | 'selection' | 'dataset' | 'expected_items' | 'repeat'>,
  { gate, checks, passed }: Pick<RunFigures, 'gate' | 'checks' | 'passed'>,
): string | undefined {
  const largest = groups.find(({ changes }) => changes.length > 0);
  if (largest === undefined || gate === undefined || passed !== false || checks.length === 0)
    return undefined;
  const changed = run.totals.changed - largest.items.length;
  const totals = { ...run.totals, changed, same: run.totals.same + largest.items.length };
  const { beyond } = countsBeside(gate, totals, expectedItems(run));
  const others = checks.filter((check) => !check.passed && !COUNTED.includes(check.name));
  const places = largest.changes.map(({ path }) => path.replace(/^\$\.?/, '') || 'output').join(', ');
  const left = `${formatCount(changed)} changed, ${formatQuantity(totals.error, 'error')}`;
  return `Without ${places}: ${left}: ${beyond.length + others.length === 0 ? 'would pass' : 'still fails'}.`;
}
