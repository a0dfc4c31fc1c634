import type { SpanRecord, TestRunItemRecord, TestRunItemReport } from '@dacapo/protocol';
import type { OutcomeOptions } from './judge-outcome.js';
import { judgeStored } from './judge-stored.js';
import {
  readCandidateOutcome,
  pickOutcomeNotes,
  readBaselineOutcome,
  recordedError,
  type StoredOutcome,
} from './recorded-outcome.js';

/** The fields of a recorded call that are read. */
type RecordedSpan = Pick<SpanRecord, 'status' | 'duration_ms' | 'span_data'>;

/**
 * Checks the verdict of a reported item against the stored values. The reporter's verdict counts, because it had the whole values, except
 * that `same` is corrected if the stored values are known to differ and no custom comparison was reported. Stored values also decide
 * whether an error is new; the reporter can only add new errors. The reporter's copy of the recorded outcome is ignored.
 *
 * @param original `undefined` for items without a recorded call, or if it cannot be read yet
 * @returns the item to store, with only the duration of the recorded call
 */
export function judgeReport(
  item: TestRunItemReport,
  original: RecordedSpan | undefined,
  options: Pick<OutcomeOptions, 'sha256'> = {},
): TestRunItemRecord {
  const { new_error: isNewByReport, ...report } = withoutOwnRecording(item);
  const recordedMs = original?.duration_ms;
  const broughtMs = report.original_duration_ms;
  const durationMs = isBaselineBrought(report) ? (broughtMs ?? recordedMs) : (recordedMs ?? broughtMs);
  const reported = original === undefined ? report : addRecordedCall(report, original);
  const before = readBaselineOutcome(reported);
  const judgement = check(reported, before, original !== undefined || isBaselineBrought(report), options);
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

type StoredVerdict = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before' | 'verdict_corrected'>;

/** @param isComparable whether the baseline is known */
function check(
  item: TestRunItemReport,
  before: StoredOutcome,
  isComparable: boolean,
  options: Pick<OutcomeOptions, 'sha256'>,
): StoredVerdict {
  const { verdict } = item;
  if (verdict === undefined)
    return isComparable ? compare(item, before, options) : { verdict: item.error ? 'error' : 'unknown' };
  const isPlainSame = verdict === 'same' && !item.accepted && item.compared_by === undefined;
  if (!isPlainSame || !isComparable) return { verdict };
  const judgement = compare(item, before, options);
  return judgement.verdict === 'same' || judgement.verdict === 'unknown'
    ? { verdict }
    : { ...judgement, verdict_corrected: true };
}

/** Adds the arguments and outcome of the recorded call, unless the reporter sent its own. */
export function addRecordedCall<I extends TestRunItemReport>(
  item: I,
  original: RecordedSpan,
): I & Pick<TestRunItemRecord, 'original_status'> {
  const { status } = original;
  const { input, output, meta } = original.span_data;
  const error = recordedError({ ...original.span_data, status });
  const outcomeNotes = pickOutcomeNotes(meta);
  const isInputRecorded = item.input === undefined;
  return {
    ...withoutOwnRecording(item),
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

/** Removes the reporter's copy of the recorded outcome. The service has its own. */
function withoutOwnRecording<I extends TestRunItemReport>(item: I): I {
  if (isBaselineBrought(item)) return item;
  const own = { ...item };
  delete own.original_output;
  delete own.original_error;
  delete own.original_meta;
  return own;
}

function isBaselineBrought({ baseline = 'recording' }: TestRunItemReport): boolean {
  return baseline !== 'recording';
}

/** Compares only the stored values. */
function compare(
  item: TestRunItemReport,
  before: StoredOutcome,
  options: Pick<OutcomeOptions, 'sha256'>,
): StoredVerdict {
  const { verdict, fixed, failingAsBefore } = judgeStored(before, readCandidateOutcome(item), {
    ...options,
    isExpectation: item.baseline === 'expected',
  });
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
