export { joinTrace } from './otlp/join-trace.js';
export { readJsonResource, readJsonScope, readJsonSpan, writeJsonRequest } from './otlp/json.js';
export { type OtlpScope, type OtlpSource, type OtlpSpan, STATUS_ERROR } from './otlp/otlp-span.js';
export { formatNanos } from './otlp/nanos.js';
export type { OtlpScore } from './otlp/read-events.js';
export { toOtlpSpan, type WrittenOtlpSpan } from './otlp/to-otlp-span.js';
export { type OtlpPlace, toSpanRecord } from './otlp/to-span-record.js';
export { listSentMedia, SENT_MEDIA_BYTES } from './otlp/write-media.js';
export { withScores } from './otlp/write-score.js';
