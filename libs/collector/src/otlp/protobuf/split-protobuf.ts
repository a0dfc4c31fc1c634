import { LIMITS } from '@dacapo/protocol';
import type { OtlpSource, OtlpSpan } from '@dacapo/protocol/otlp';
import { CONTAINER_BYTES, type Reservation } from '../../memory/memory-budget.js';
import { SourcePart } from '../source-part.js';
import {
  FrameError,
  MOST_SPAN_BYTES,
  MOST_SPAN_VALUES,
  type SpanFrame,
  type SplitBody,
  TooManySpansError,
} from '../span-frame.js';
import { decodeResource, decodeScope, decodeSpan } from './decode-span.js';
import { countFields, RESOURCE, SCOPE, SPAN } from './weigh-message.js';
import { LENGTH_DELIMITED, WireCursor } from './wire-cursor.js';

/** Most fields outside spans: resources, scopes, schema URLs and unknown fields. */
const MOST_FIELDS = 4 * LIMITS.bodyLines;

/**
 * Finds the spans of an `ExportTraceServiceRequest`. If the body is malformed, the spans before that point are returned.
 *
 * @throws TooManySpansError when it has more than `LIMITS.bodyLines` spans, or too many fields outside them
 */
export function splitProtobuf(body: Buffer): SplitBody {
  const splitter = new ProtobufSplitter(body);
  splitter.walkRequest();
  return splitter;
}

/** Reads a length-delimited field. */
type ReadField = (field: number, start: number, end: number, isCut: boolean) => void;

class ProtobufSplitter implements SplitBody {
  readonly frames: ProtobufFrame[] = [];
  readonly problems: string[] = [];
  private fields = 0;
  private cutSpans = 0;

  constructor(private readonly body: Buffer) {}

  walkRequest(): void {
    this.walk(0, this.body.length, (field, start, end) => {
      if (field === 1) this.walkResource(start, end);
    });
  }

  private walkResource(start: number, end: number): void {
    const resource = toResource();
    this.walk(start, end, (field, from, to) => {
      if (field === 1) resource.content = this.body.subarray(from, to);
      else if (field === 2) this.walkScope(from, to, resource);
    });
  }

  private walkScope(start: number, end: number, resource: Resource): void {
    const scope = toScope();
    this.walk(start, end, (field, from, to, isCut) => {
      const bytes = this.body.subarray(from, to);
      if (field === 1) scope.content = bytes;
      if (field !== 2) return;
      if (this.frames.length >= LIMITS.bodyLines) throw new TooManySpansError();
      if (isCut) this.cutSpans++;
      this.frames.push(new ProtobufFrame(bytes, resource, scope, isCut));
    });
  }

  private walk(start: number, end: number, read: ReadField): void {
    const cursor = new WireCursor(this.body, start, end);
    try {
      while (cursor.next()) {
        if (++this.fields > MOST_FIELDS) throw new TooManySpansError();
        const { number, wireType, isCut } = cursor;
        const known = this.problems.length + this.cutSpans;
        if (wireType === LENGTH_DELIMITED) read(number, cursor.start, cursor.end, isCut);
        // The same cut may already be reported for a field inside this one.
        if (isCut && this.problems.length + this.cutSpans === known)
          this.problems.push('The body ends early');
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.problems.push(`The body ${error.message}`);
    }
  }
}

type Resource = ReturnType<typeof toResource>;
type Scope = ReturnType<typeof toScope>;

const toResource = () => new SourcePart((bytes: Buffer) => countValues(bytes, RESOURCE), decodeResource, {});
const toScope = () => new SourcePart((bytes: Buffer) => countValues(bytes, SCOPE), decodeScope, {});

class ProtobufFrame implements SpanFrame {
  constructor(
    private readonly bytes: Buffer,
    readonly resource: Resource,
    private readonly scope: Scope,
    /** Whether the body ends within the span. */
    private readonly isCut: boolean,
  ) {}

  get byteLength(): number {
    return this.bytes.length + this.resource.byteLength + this.scope.byteLength;
  }

  get sourceWeight(): number {
    return this.resource.weight + this.scope.weight;
  }

  weigh(memory: Reservation): void {
    if (this.isCut) throw new FrameError('ends early, as the body does');
    memory.grow(CONTAINER_BYTES * countValues(this.bytes, SPAN));
  }

  decode(): OtlpSpan {
    return decodeSpan(this.bytes);
  }

  source(): OtlpSource {
    return { resource: this.resource.value, scope: this.scope.value };
  }

  extract(): Uint8Array {
    const { resource, scope } = this;
    const scopeSpans = [...writeField(1, scope.content), ...writeField(2, this.bytes)];
    const resourceSpans = [...writeField(1, resource.content), ...writeField(2, Buffer.concat(scopeSpans))];
    return new Uint8Array(Buffer.concat(writeField(1, Buffer.concat(resourceSpans))));
  }
}

/** The values of a message, including those in texts that may be JSON. */
function countValues(bytes: Buffer, shape: typeof SPAN): number {
  if (bytes.length > MOST_SPAN_BYTES) throw new FrameError(`has more than ${MOST_SPAN_BYTES} bytes`);
  const values = countFields(bytes, shape) + countBytes(bytes, '[') + countBytes(bytes, '{');
  if (values > MOST_SPAN_VALUES) throw new FrameError(`has more than ${MOST_SPAN_VALUES} values`);
  return values;
}

/** Stops above `MOST_SPAN_VALUES`. */
function countBytes(bytes: Buffer, sign: string): number {
  let count = 0;
  for (let at = bytes.indexOf(sign); at !== -1 && count <= MOST_SPAN_VALUES; at = bytes.indexOf(sign, at + 1))
    count++;
  return count;
}

/** @param field below 16 */
function writeField(field: number, content: Buffer | undefined): Buffer[] {
  if (content === undefined) return [];
  const head = [field * 8 + LENGTH_DELIMITED];
  for (let rest = content.length; ; rest >>>= 7) {
    head.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) return [Buffer.from(head), content];
  }
}
