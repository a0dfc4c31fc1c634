/** A decoded message, as trace.proto declares it. A field that was not sent is not an own property. */
export interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly traceState: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: Uint8Array;
  readonly kind: number;
  readonly startTimeUnixNano: Decoded64;
  readonly endTimeUnixNano: Decoded64;
  readonly attributes: readonly DecodedKeyValue[];
  readonly events: readonly DecodedEvent[];
  readonly links: readonly DecodedLink[];
  readonly status: { readonly message: Uint8Array; readonly code: number } | null;
  readonly flags: number;
}

interface DecodedEvent {
  readonly timeUnixNano: Decoded64;
  readonly name: Uint8Array;
  readonly attributes: readonly DecodedKeyValue[];
}

interface DecodedLink {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly attributes: readonly DecodedKeyValue[];
}

export interface DecodedResource {
  readonly attributes: readonly DecodedKeyValue[];
}

export interface DecodedScope {
  readonly name: Uint8Array;
  readonly version: Uint8Array;
  readonly attributes: readonly DecodedKeyValue[];
}

export interface DecodedKeyValue {
  readonly key: Uint8Array;
  readonly value: DecodedValue | null;
}

export interface DecodedValue {
  readonly stringValue: Uint8Array;
  readonly boolValue: boolean;
  readonly intValue: Decoded64;
  readonly doubleValue: number;
  readonly arrayValue: { readonly values: readonly DecodedValue[] } | null;
  readonly kvlistValue: { readonly values: readonly DecodedKeyValue[] } | null;
  readonly bytesValue: Uint8Array;
}

/** A 64-bit integer. It is a number if the package `long` is missing. */
export type Decoded64 = number | { readonly low: number; readonly high: number };
