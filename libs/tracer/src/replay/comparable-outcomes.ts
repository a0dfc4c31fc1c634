import type { StoredOutcome } from '@dacapo/evaluation';
import type { RecordedStream } from '@dacapo/protocol';
import type { ReportedBaseline } from './item-report.js';
import type { RecordedOutcome } from './judge-item.js';

const UNKNOWN_RETURN: RecordedStream = { kind: 'generator', items: 0, returned_meta: { replayable: false } };

/**
 * An outcome and its baseline, as far as what a generator returned counts: of an expectation only where it was copied with
 * it. What an earlier run or a person's word does not hold, as before version 0.2, is not known.
 *
 * @param other what would have been compared with, had there been no such run or word
 */
export function comparableOutcomes(
  baseline: ReportedBaseline | undefined,
  now: RecordedOutcome,
  other: StoredOutcome | undefined,
): [StoredOutcome | undefined, RecordedOutcome] {
  const { kind, stored } = baseline ?? {};
  if (stored === undefined || stored.meta?.stream !== undefined) return [stored, now];
  const { returned, ...given } = now;
  if (kind === 'expected') return [stored, given];
  if ((kind !== 'test_run' && kind !== 'accepted') || now.error !== undefined) return [stored, now];
  const isReturned = returned?.json !== undefined || other?.meta?.stream?.returned !== undefined;
  return [isReturned ? { ...stored, meta: { ...stored.meta, stream: UNKNOWN_RETURN } } : stored, now];
}
