import { parseSpanRecord, type ScoreRecord, type SpanRecord } from '@dacapo/protocol';
import { type OtlpPlace, toSpanRecord } from '@dacapo/protocol/otlp';
import { isForwarded } from '../forwarding/forwarded.js';
import type { SpanFrame } from './span-frame.js';
import type { SpanMasker } from './span-masker.js';
import { toScoreRecord } from './to-score-record.js';

/** A span as it is stored, except that its resource may be stored on another span. */
export interface ReadSpan {
  readonly place: OtlpPlace;
  /** `undefined` for a span without AI content. */
  readonly span?: SpanRecord;
  readonly scores: readonly ScoreRecord[];
  /** The sender recorded the contexts, which are kept as they are. */
  readonly hasOwnContexts: boolean;
  /** Another collector forwarded the span. */
  readonly isForwarded: boolean;
}

/**
 * Decodes, converts and masks a weighed span.
 *
 * @param keepsAll also converts a span without AI content
 * @throws FrameError, ProtocolError when the span is invalid
 */
export function readSpan(frame: SpanFrame, masker: SpanMasker, keepsAll: boolean): ReadSpan {
  const source = frame.source();
  const {
    place,
    span: unmasked,
    scores,
    hasOwnContexts,
  } = toSpanRecord(frame.decode(), source, () => keepsAll);
  const origin = { hasOwnContexts, isForwarded: isForwarded(source.resource) };
  if (unmasked === undefined) return { place, scores: [], ...origin };
  const span = parseSpanRecord(masker.mask(unmasked));
  return {
    place,
    span,
    scores: scores.map((score, index) => toScoreRecord(score, index, span, source, masker)),
    ...origin,
  };
}
