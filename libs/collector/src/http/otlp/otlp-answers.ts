import protobuf from 'protobufjs/minimal.js';
import type { OtlpEncoding } from '../body/otlp-body.js';

/** The spans of a request that were not stored. */
export interface PartialSuccess {
  readonly rejectedSpans: number;
  /** The reasons, for a person. */
  readonly errorMessage: string;
}

interface EncodedAnswer {
  readonly type: string;
  readonly body: Buffer | string;
}

const LENGTH_DELIMITED = 2;
const VARINT = 0;
const tag = (field: number, wireType: number): number => field * 8 + wireType;

/** An `ExportTraceServiceResponse`: empty when everything was stored. */
export function encodeSuccess(encoding: OtlpEncoding, partial: PartialSuccess | undefined): EncodedAnswer {
  if (encoding === 'json') {
    // OTLP/JSON writes 64-bit integers as text.
    const body = partial && { ...partial, rejectedSpans: String(partial.rejectedSpans) };
    return asJson(body === undefined ? {} : { partialSuccess: body });
  }
  const writer = protobuf.Writer.create();
  if (partial !== undefined)
    writer
      .uint32(tag(1, LENGTH_DELIMITED))
      .fork()
      .uint32(tag(1, VARINT))
      .int64(partial.rejectedSpans)
      .uint32(tag(2, LENGTH_DELIMITED))
      .string(partial.errorMessage)
      .ldelim();
  return asProtobuf(writer);
}

/** A `google.rpc.Status`. In JSON it also has the members of our API's errors, which OTLP clients ignore. */
export function encodeStatus(encoding: OtlpEncoding, httpStatus: number, message: string): EncodedAnswer {
  const code = RPC_CODES[httpStatus] ?? (httpStatus < 500 ? INVALID_ARGUMENT : INTERNAL);
  if (encoding === 'json') return asJson({ code, message, detail: message, status_code: httpStatus });
  return asProtobuf(
    protobuf.Writer.create()
      .uint32(tag(1, VARINT))
      .int32(code)
      .uint32(tag(2, LENGTH_DELIMITED))
      .string(message),
  );
}

const INVALID_ARGUMENT = 3;
const INTERNAL = 13;
/** Codes of `google.rpc.Code` by HTTP status. */
const RPC_CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 503: 14 };

function asJson(value: object): EncodedAnswer {
  return { type: 'application/json', body: JSON.stringify(value) };
}

function asProtobuf(writer: protobuf.Writer): EncodedAnswer {
  return { type: 'application/x-protobuf', body: Buffer.from(writer.finish()) };
}
