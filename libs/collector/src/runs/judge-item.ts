import {
  judgeStored,
  newOutcomeOf,
  notesOfOutcome,
  originalOutcomeOf,
  recordedError,
} from '@dacapo/evaluation';
import type { SpanRecord, TestRunItemRecord, TestRunItemReport } from '@dacapo/protocol';
import { sha256 } from './sha256.js';

type Judgement = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before'>;

/**
 * Judges an item by the recorded call. The reporter's verdict counts, for it has the whole values; but `same` is not
 * believed where the stored forms are known to differ, and nothing else was said to be compared.
 *
 * @param original absent where there is none: an item of the reporter's own, or a call that cannot be read yet
 * @returns the item as it is kept: of the recorded call its duration alone
 */
export function judgeItem(report: TestRunItemReport, original: SpanRecord | undefined): TestRunItemRecord {
  const durationMs = report.original_duration_ms ?? original?.duration_ms;
  const item = { ...report, ...(durationMs !== undefined && { original_duration_ms: durationMs }) };
  const isComparable = original !== undefined || isBaselineBrought(report);
  const stored = (): Judgement =>
    compare(
      original === undefined ? report : besideRecording(report, original),
      isBaselineBrought(report) ? undefined : original?.status,
    );
  if (report.verdict === undefined)
    return { ...item, ...(isComparable ? stored() : { verdict: report.error ? 'error' : 'unknown' }) };
  const isPlainSame = report.verdict === 'same' && !report.accepted && report.compared_by === undefined;
  if (!isPlainSame || !isComparable) return { ...item, verdict: report.verdict };
  const judgement = stored();
  if (judgement.verdict === 'same' || judgement.verdict === 'unknown') return { ...item, verdict: 'same' };
  const corrected: TestRunItemRecord = { ...item, ...judgement, verdict_corrected: true };
  delete corrected.failing_as_before;
  return corrected;
}

/** An item with the arguments and the outcome of the recorded call, where the reporter did not bring others. */
export function besideRecording<I extends TestRunItemReport>(
  item: I,
  original: SpanRecord,
): I & Pick<TestRunItemRecord, 'original_status'> {
  const { status } = original;
  const { input, output, meta } = original.span_data;
  const error = recordedError({ ...original.span_data, status });
  const outcomeNotes = notesOfOutcome(meta);
  const isInputRecorded = item.input === undefined;
  return {
    ...item,
    ...(isInputRecorded && input !== undefined && { input }),
    ...(isInputRecorded && meta?.input && { meta: { ...item.meta, input: meta.input } }),
    ...(!isBaselineBrought(item) && {
      ...(output !== undefined && { original_output: output }),
      ...(error !== undefined && { original_error: error }),
      ...((status === 'cancelled' || status === 'unfinished') && { original_status: status }),
      ...(outcomeNotes && { original_meta: outcomeNotes }),
    }),
  };
}

function isBaselineBrought({ baseline = 'recording' }: TestRunItemReport): boolean {
  return baseline !== 'recording';
}

/**
 * By the stored forms alone.
 *
 * @param status of the call that it is compared with, where it is that
 */
function compare(item: TestRunItemReport, status: SpanRecord['status'] | undefined): Judgement {
  const original = { ...originalOutcomeOf(item), status };
  const { verdict, fixed, failingAsBefore } = judgeStored(original, newOutcomeOf(item), { sha256 });
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
