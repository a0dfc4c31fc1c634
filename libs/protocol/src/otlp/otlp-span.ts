import type { JsonObject } from '../json/json-value.js';

/**
 * An OpenTelemetry span in neither encoding: ids are hex digits in lower case, values are plain JSON, and bytes are base64.
 * {@link toSpanRecord} checks ids and times.
 */
export interface OtlpSpan {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Absent, or empty, for a root. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** `SpanKind` of the protocol: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind?: number;
  /** W3C trace flags in bits 0 to 7. Bits 8 and 9 are both set if the parent is known to be remote. */
  readonly flags?: number;
  readonly traceState?: string;
  /** Nanoseconds since the epoch; 0: unknown. */
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: JsonObject;
  readonly events: readonly OtlpEvent[];
  readonly links: readonly OtlpLink[];
  readonly status: OtlpStatus;
}

export interface OtlpEvent {
  readonly name: string;
  readonly timeNanos: bigint;
  readonly attributes: JsonObject;
}

export interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: JsonObject;
}

interface OtlpStatus {
  /** 0 unset, 1 ok, 2 error. */
  readonly code: number;
  readonly message?: string;
}

export const STATUS_OK = 1;
export const STATUS_ERROR = 2;

/** The sender of a span: its process as attributes, and the library that recorded the span. */
export interface OtlpSource {
  readonly resource: JsonObject;
  readonly scope: OtlpScope;
}

export interface OtlpScope {
  readonly name?: string;
  readonly version?: string;
  readonly attributes?: JsonObject;
}
