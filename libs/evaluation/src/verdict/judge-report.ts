import type { SpanRecord, TestRunItemRecord, TestRunItemReport } from '@dacapo/protocol';
import type { OutcomeOptions } from './judge-outcome.js';
import { judgeStored } from './judge-stored.js';
import {
  newOutcomeOf,
  notesOfOutcome,
  originalOutcomeOf,
  recordedError,
  type StoredOutcome,
} from './recorded-outcome.js';

/** What is read of a recorded call. */
type RecordedSpan = Pick<SpanRecord, 'status' | 'duration_ms' | 'span_data'>;

/**
 * Checks the verdict of a reported item against the stored forms. The reporter's verdict counts, because the reporter has the whole
 * values. But `same` is rejected where the stored forms are known to differ and no other comparison was reported. Whether an
 * error is new follows from what is stored: a reporter can only add to it. What a reporter says of the recorded outcome does not count.
 *
 * @param original absent where there is none: an item of the reporter's own, or a call that cannot be read yet
 * @returns the item to store: of the recorded call only its duration
 */
export function judgeReport(
  given: TestRunItemReport,
  original: RecordedSpan | undefined,
  options: Pick<OutcomeOptions, 'sha256'> = {},
): TestRunItemRecord {
  const { new_error: isNewByReport, ...report } = withoutOwnRecording(given);
  const recordedMs = original?.duration_ms;
  const broughtMs = report.original_duration_ms;
  const durationMs = isBaselineBrought(report) ? (broughtMs ?? recordedMs) : (recordedMs ?? broughtMs);
  const reported = original === undefined ? report : besideRecording(report, original);
  const before = originalOutcomeOf(reported);
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

type Judgement = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before' | 'verdict_corrected'>;

/** @param isComparable whether its baseline is known */
function check(
  item: TestRunItemReport,
  before: StoredOutcome,
  isComparable: boolean,
  options: Pick<OutcomeOptions, 'sha256'>,
): Judgement {
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

/** An item with the arguments and the outcome of the recorded call, where the reporter did not bring others. */
export function besideRecording<I extends TestRunItemReport>(
  item: I,
  original: RecordedSpan,
): I & Pick<TestRunItemRecord, 'original_status'> {
  const { status } = original;
  const { input, output, meta } = original.span_data;
  const error = recordedError({ ...original.span_data, status });
  const outcomeNotes = notesOfOutcome(meta);
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

/** An item that is compared with the recording brings no outcome of it: the service has its own. */
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

/** Compares the stored forms alone. */
function compare(
  item: TestRunItemReport,
  before: StoredOutcome,
  options: Pick<OutcomeOptions, 'sha256'>,
): Judgement {
  const { verdict, fixed, failingAsBefore } = judgeStored(before, newOutcomeOf(item), {
    ...options,
    isExpectation: item.baseline === 'expected',
  });
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
