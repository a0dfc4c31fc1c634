import type { MediaRecord, ScoreRecord, SpanRecord, TraceRecord } from '@dacapo/protocol';

export { score, span, startedAt, unfinished } from '../../src/contract/records.js';

export function ndjson(
  records: { span?: SpanRecord; trace?: TraceRecord; score?: ScoreRecord; media?: MediaRecord }[],
): string {
  return records.map((record) => JSON.stringify(record)).join('\n');
}

export function spansToNdjson(spans: SpanRecord[]): string {
  return ndjson(spans.map((record) => ({ span: record })));
}
