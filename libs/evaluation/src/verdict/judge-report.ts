import type { SpanRecord, TestRunItemRecord, TestRunItemReport } from '@dacapo/protocol';
import type { OutcomeOptions } from './judge-outcome.js';
import { judgeStored } from './judge-stored.js';
import { newOutcomeOf, notesOfOutcome, originalOutcomeOf, recordedError } from './recorded-outcome.js';

/** What is read of a recorded call. */
type RecordedSpan = Pick<SpanRecord, 'status' | 'duration_ms' | 'span_data'>;

type Judgement = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before'>;

/**
 * Checks the verdict of a reported item against the stored forms. The reporter's verdict counts, because the reporter has the whole
 * values. But `same` becomes `changed` where the stored forms are known to differ and no other comparison was reported.
 *
 * @param original absent where there is none: an item of the reporter's own, or a call that cannot be read yet
 * @returns the item to store: of the recorded call only its duration
 */
export function judgeReport(
  report: TestRunItemReport,
  original: RecordedSpan | undefined,
  options: Pick<OutcomeOptions, 'sha256'> = {},
): TestRunItemRecord {
  const durationMs = report.original_duration_ms ?? original?.duration_ms;
  const item = { ...report, ...(durationMs !== undefined && { original_duration_ms: durationMs }) };
  const isComparable = original !== undefined || isBaselineBrought(report);
  const stored = (): Judgement =>
    compare(
      original === undefined ? report : besideRecording(report, original),
      isBaselineBrought(report) ? undefined : original?.status,
      options,
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
  original: RecordedSpan,
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
function compare(
  item: TestRunItemReport,
  status: SpanRecord['status'] | undefined,
  options: Pick<OutcomeOptions, 'sha256'>,
): Judgement {
  const original = { ...originalOutcomeOf(item), status };
  const { verdict, fixed, failingAsBefore } = judgeStored(original, newOutcomeOf(item), options);
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
