import type { MediaRecord, SpanRecord } from '@dacapo/protocol';
import {
  type AnyFunction,
  type ByteString,
  CLIENT_ANSWERS,
  decodeText,
  type OpenedCall,
  type ReplayedCalls,
  restoreRecord,
  type SpanDefinition,
} from '@dacapo/tracer/engine';
import type { PlacedCall } from '../cassette/to-cassette-calls.js';

/** Lets every call run, and gathers their records for a cassette. */
export class GatheredCalls implements ReplayedCalls {
  readonly clientAnswers: typeof CLIENT_ANSWERS = CLIENT_ANSWERS;
  /** Images, sounds and files, as base64 by their SHA-256. */
  private readonly media = new Map<string, string>();
  private readonly spans = new Map<string, SpanRecord>();
  private readonly open = new Map<string, string>();

  /** Keys of calls that have not ended. */
  get openKeys(): readonly string[] {
    return [...new Set(this.open.values())];
  }

  get calls(): readonly PlacedCall[] {
    return [...this.spans.values()].map((span) =>
      restoreRecord(toPlacedCall(span), ({ id }) => this.media.get(id)),
    );
  }

  keep(line: ByteString): void {
    const { span, media } = JSON.parse(decodeText(line)) as { span?: SpanRecord; media?: MediaRecord };
    if (media?.data !== undefined) this.media.set(media.id, media.data);
    if (span === undefined) return;
    // A call that was sent before its end has two records.
    const earlier = this.spans.get(span.id);
    const data = { ...earlier?.span_data, ...span.span_data };
    const meta = { ...earlier?.span_data.meta, ...span.span_data.meta };
    this.spans.set(span.id, { ...earlier, ...span, span_data: { ...data, meta } });
  }

  opened({ spanId, start }: OpenedCall): void {
    this.open.set(spanId, start.definition.key);
  }

  ended({ spanId }: OpenedCall): void {
    this.open.delete(spanId);
  }

  written(): void {
    // `keep` receives the same records.
  }

  chooseFunction(_: OpenedCall, fn: AnyFunction): AnyFunction {
    return fn;
  }

  unrecorded(_: SpanDefinition, fn: AnyFunction): AnyFunction {
    return fn;
  }

  denyConnection(): undefined {
    return undefined;
  }

  clockOffsetMs(): number {
    return 0;
  }

  unanswerable(_: OpenedCall, reason: string): Error {
    return new Error(reason);
  }
}

function toPlacedCall({ span_data: data, id, parent_id, ...facts }: SpanRecord): PlacedCall {
  const { input, output, error, usage, meta, contexts } = data;
  return {
    ...facts,
    span_id: id,
    parent_id,
    ...(input && { input }),
    ...(output !== undefined && { output }),
    ...(error && { error }),
    ...(usage && { usage }),
    ...(contexts && { contexts }),
    ...(meta && Object.keys(meta).length > 0 && { meta }),
  };
}
