import {
  equal,
  readValue,
  type SpanRecord,
  type TestRunItemRecord,
  type TestRunItemReport,
  type Verdict,
} from '@dacapo/protocol';
import { createHash } from 'node:crypto';

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

/** `same` only where it is known: what cannot be known counts as changed. */
function judge(report: TestRunItemReport, { span_data: { output, error, meta } }: SpanRecord): Verdict {
  if (report.error) return 'error';
  if (error) return 'changed';
  const now = readValue({ json: report.result, meta: report.meta?.output });
  const before = readValue({ json: output, meta: meta?.output });
  return equal(now, before, { sha256 }) === 'equal' ? 'same' : 'changed';
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
