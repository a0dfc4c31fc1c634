import type { OtlpSource, OtlpSpan } from '@dacapo/protocol/otlp';
import type { Reservation } from '../memory/memory-budget.js';

/** Largest span in bytes. A larger one would block the main thread for too long. */
export const MOST_SPAN_BYTES = 4 * 1024 * 1024;

/** Most values of a span: its fields, and the brackets in its texts, which may be JSON. */
export const MOST_SPAN_VALUES = 50_000;

/** A span whose place in a body is known, but which is not decoded yet. An invalid span does not affect the others. */
export interface SpanFrame {
  /** Bytes of the span, its resource and its scope. */
  readonly byteLength: number;
  /** Spans of one resource share the object. */
  readonly resource: object;
  /** The memory of the span's copy of its resource and scope. */
  readonly sourceWeight: number;
  /**
   * Reserves the memory of the values of the span.
   *
   * @throws FrameError when it is malformed or exceeds a limit
   * @throws BusyException, PayloadTooLargeException from the reservation
   */
  weigh(memory: Reservation): void;
  /**
   * Decodes the span, which must be weighed before.
   *
   * @throws FrameError when it is malformed
   */
  decode(): OtlpSpan;
  source(): OtlpSource;
  /** A body with this span only. */
  extract(): Uint8Array | string;
}

/** The spans of a body. */
export interface SplitBody {
  readonly frames: readonly SpanFrame[];
  /** What is wrong with the body around the spans. Each problem hides an unknown number of spans. */
  readonly problems: readonly string[];
}

/** A span that cannot be decoded. The sender gets the message. */
export class FrameError extends Error {}

/** A body with too many spans for one request. */
export class TooManySpansError extends Error {}
