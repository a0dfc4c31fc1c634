import {
  sameJson,
  type SpanRecord,
  type TestRunItemRecord,
  type TestRunItemReport,
  type Verdict,
} from '@dacapo/protocol';

/** Sets a replayed call beside the recorded one. */
export function compareWithOriginal(report: TestRunItemReport, original: SpanRecord): TestRunItemRecord {
  const { input, output, error } = original.span_data;
  return {
    ...report,
    verdict: judge(report, original),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { original_output: output }),
    ...(error !== undefined && { original_error: error }),
    ...(original.duration_ms !== undefined && { original_duration_ms: original.duration_ms }),
  };
}

function judge(report: TestRunItemReport, original: SpanRecord): Verdict {
  if (report.error) return 'error';
  if (original.span_data.error) return 'changed';
  return sameJson(report.result, original.span_data.output) ? 'same' : 'changed';
}
