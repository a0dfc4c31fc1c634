import {
  type MediaRecord,
  readPatchFacts,
  type ScoreRecord,
  type SpanRecord,
  TraceFacts,
  type TraceRecord,
} from '@dacapo/protocol';
import {
  joinTrace,
  listSentMedia,
  SENT_MEDIA_BYTES,
  toOtlpSpan,
  withScores,
  type WrittenOtlpSpan,
} from '@dacapo/protocol/otlp';

/** Spans of one trace, and the cursor after it. */
export interface OtlpTrace {
  readonly spans: readonly WrittenOtlpSpan[];
  /** Absent if more of the trace follows. */
  readonly cursor?: string;
}

interface ExportedLine {
  readonly media?: MediaRecord;
  readonly span?: SpanRecord;
  readonly trace?: TraceRecord;
  readonly score?: ScoreRecord;
  readonly cursor?: string;
}

/** JSON that is held of one trace, in bytes. Spans of a larger trace are sent without its session, tags and scores, which come last. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
/** Bytes of media that are held. Spans with further media are sent with references to them. */
const MOST_MEDIA_BYTES = 64 * 1024 * 1024;

/** Converts an export to OpenTelemetry spans. The lines of a trace are adjacent, its facts last. Its media come before. */
export async function* readOtlpTraces(lines: AsyncIterable<Uint8Array>): AsyncGenerator<OtlpTrace> {
  const text = new TextDecoder();
  let spans: SpanRecord[] = [];
  let scores: ScoreRecord[] = [];
  let facts = new TraceFacts();
  let heldBytes = 0;
  const media = new HeldMedia();
  for await (const line of lines) {
    const { media: medium, span, trace, score, cursor } = JSON.parse(text.decode(line)) as ExportedLine;
    if (medium !== undefined) media.add(medium);
    else if (span !== undefined) {
      spans.push(span);
      heldBytes += line.length;
    } else if (score !== undefined) scores.push(score);
    else if (trace !== undefined) {
      facts.add(readPatchFacts(trace, trace.at ?? EPOCH));
      if (cursor === undefined) continue;
      yield { spans: writeSpans(spans, facts.toRecord(trace.id), scores, media), cursor };
      media.remove(trace.id);
      [spans, scores, facts, heldBytes] = [[], [], new TraceFacts(), 0];
    }
    if (heldBytes < MOST_HELD_BYTES) continue;
    yield { spans: writeSpans(spans, undefined, [], media) };
    [spans, heldBytes] = [[], 0];
  }
}

const EPOCH = '1970-01-01T00:00:00.000000Z';

function writeSpans(
  spans: readonly SpanRecord[],
  trace: TraceRecord | undefined,
  scores: readonly ScoreRecord[],
  media: HeldMedia,
): WrittenOtlpSpan[] {
  return spans.map((record) => {
    const joined = joinTrace(record, trace);
    const sent = new Set(listSentMedia(record).map(({ id }) => id));
    const written = toOtlpSpan(joined, ({ id }) =>
      sent.has(id) ? media.find(record.trace_id, id) : undefined,
    );
    return withScores(written, joined, scores);
  });
}

/** Media of the traces whose spans follow. */
class HeldMedia {
  private readonly byTrace = new Map<string, Map<string, string>>();
  private bytes = 0;

  add({ id, trace_id, size, data }: MediaRecord): void {
    if (data === undefined || size > SENT_MEDIA_BYTES || this.bytes + data.length > MOST_MEDIA_BYTES) return;
    const held = this.byTrace.get(trace_id) ?? new Map<string, string>();
    this.byTrace.set(trace_id, held.set(id, data));
    this.bytes += data.length;
  }

  find(traceId: string, id: string): string | undefined {
    return this.byTrace.get(traceId)?.get(id);
  }

  remove(traceId: string): void {
    for (const data of this.byTrace.get(traceId)?.values() ?? []) this.bytes -= data.length;
    this.byTrace.delete(traceId);
  }
}
