import { judgeOutcome, type Outcome } from '@dacapo/evaluation';
import { readValue, type SpanRecord, type TestRunItemRecord, type TestRunItemReport } from '@dacapo/protocol';
import { createHash } from 'node:crypto';

type Judgement = Pick<TestRunItemRecord, 'verdict' | 'fixed' | 'failing_as_before'>;

/**
 * Sets an item beside the recorded call. The reporter's verdict counts, for it has the whole values; but `same` is not
 * believed where the stored forms are known to differ, and nothing else was said to be compared.
 *
 * @param original absent where there is none: an item of the reporter's own, or a call that cannot be read yet
 */
export function judgeItem(report: TestRunItemReport, original: SpanRecord | undefined): TestRunItemRecord {
  const record = withOriginal(report, original);
  const isComparable = original !== undefined || isBaselineBrought(report);
  if (report.verdict === undefined) {
    return {
      ...record,
      ...(isComparable ? compare(record) : { verdict: report.error ? 'error' : 'unknown' }),
    };
  }
  const isPlainSame = report.verdict === 'same' && !report.accepted && report.compared_by === undefined;
  if (!isPlainSame || !isComparable) return { ...record, verdict: report.verdict };
  const stored = compare(record);
  if (stored.verdict === 'same' || stored.verdict === 'unknown') return { ...record, verdict: 'same' };
  const corrected: TestRunItemRecord = { ...record, ...stored, verdict_corrected: true };
  delete corrected.failing_as_before;
  return corrected;
}

/** The baseline is the recorded call, unless the reporter brings another. */
function withOriginal(report: TestRunItemReport, original: SpanRecord | undefined): TestRunItemReport {
  if (original === undefined) return report;
  const { duration_ms: durationMs, span_data: recorded } = original;
  const { input, output, error, meta } = recorded;
  const isInputRecorded = report.input === undefined;
  return {
    ...report,
    ...(isInputRecorded && input !== undefined && { input }),
    ...(isInputRecorded && meta?.input && { meta: { ...report.meta, input: meta.input } }),
    ...(!isBaselineBrought(report) && {
      ...(output !== undefined && { original_output: output }),
      ...(error !== undefined && { original_error: error }),
      ...(meta?.output && { original_meta: { output: meta.output } }),
    }),
    ...(durationMs !== undefined &&
      report.original_duration_ms === undefined && { original_duration_ms: durationMs }),
  };
}

function isBaselineBrought({ baseline = 'recording' }: TestRunItemReport): boolean {
  return baseline !== 'recording';
}

/** By the stored forms alone. */
function compare({ error, result, meta, ...item }: TestRunItemReport): Judgement {
  const before: Outcome = item.original_error
    ? { error: item.original_error }
    : { value: readValue({ json: item.original_output, meta: item.original_meta?.output }) };
  const now: Outcome = error ? { error } : { value: readValue({ json: result, meta: meta?.output }) };
  const { verdict, fixed, failingAsBefore } = judgeOutcome(before, now, {
    sha256: (data) => createHash('sha256').update(data).digest('hex'),
  });
  return { verdict, ...(fixed && { fixed }), ...(failingAsBefore && { failing_as_before: true }) };
}
