import {
  judgeStored,
  newOutcomeOf,
  notesOfOutcome,
  originalOutcomeOf,
  recordedError,
  type StoredOutcome,
} from '@dacapo/evaluation';
import type { SpanRecord, TestRunItemRecord, TestRunItemReport } from '@dacapo/protocol';
import { sha256 } from './sha256.js';

/**
 * Judges an item by the recorded call. The reporter's verdict counts, for it has the whole values; but `same` is not
 * believed where the stored forms are known to differ, and nothing else was said to be compared. Whether an error is new
 * follows from what is stored: a reporter can only add to it.
 *
 * @param original absent where there is none: an item of the reporter's own, or a call that cannot be read yet
 * @returns the item as it is kept: of the recorded call its duration alone
 */
export function judgeItem(
  { new_error: isNewByReport, ...report }: TestRunItemReport,
  original: SpanRecord | undefined,
): TestRunItemRecord {
  const durationMs = report.original_duration_ms ?? original?.duration_ms;
  const beside = original === undefined ? report : besideRecording(report, original);
  const status = isBaselineBrought(report) ? undefined : original?.status;
  const before = { ...originalOutcomeOf(beside), ...(status && { status }) };
  const judgement = judgementOf(beside, before, original !== undefined || isBaselineBrought(report));
  const isNewError =
    judgement.verdict === 'error' && (isNewByReport === true || recordedError(before) === undefined);
  const { failing_as_before: isFailingAsBefore, ...rest } = report;
  return {
    ...rest,
    ...(isFailingAsBefore && judgement.verdict_corrected !== true && { failing_as_before: true }),
    ...(durationMs !== undefined && { original_duration_ms: durationMs }),
    ...judgement,
    ...(isNewError && { new_error: true }),
  };
}

type Judgement = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before' | 'verdict_corrected'>;

/** @param isComparable whether what it is compared with is here */
function judgementOf(item: TestRunItemReport, before: StoredOutcome, isComparable: boolean): Judgement {
  const { verdict } = item;
  if (verdict === undefined)
    return isComparable ? compare(item, before) : { verdict: item.error ? 'error' : 'unknown' };
  const isPlainSame = verdict === 'same' && !item.accepted && item.compared_by === undefined;
  if (!isPlainSame || !isComparable) return { verdict };
  const judgement = compare(item, before);
  return judgement.verdict === 'same' || judgement.verdict === 'unknown'
    ? { verdict }
    : { ...judgement, verdict_corrected: true };
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

/** By the stored forms alone. */
function compare(item: TestRunItemReport, before: StoredOutcome): Judgement {
  const { verdict, fixed, failingAsBefore } = judgeStored(before, newOutcomeOf(item), {
    sha256,
    isExpectation: item.baseline === 'expected',
  });
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
