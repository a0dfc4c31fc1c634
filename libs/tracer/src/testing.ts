import {
  readPatchFacts,
  readSpanFacts,
  type MediaRecord,
  parseMediaRecord,
  parseScoreRecord,
  parseSpanRecord,
  parseTraceRecord,
  type ScoreRecord,
  type SpanRecord,
  type TraceFact,
  TraceFacts,
  type TraceRecord,
  withPrompt,
} from '@dacapo/protocol';
import { type ByteString, decodeText } from './byte-string.js';
import { Counters } from './delivery/counters.js';
import type { DeliveryStats, RecordSink } from './delivery/record-sink.js';
import type { TracerOptions } from './options/tracer-options.js';
import { Tracer } from './tracer.js';
import type { TracerParts } from './tracer-parts.js';

const EPOCH = '1970-01-01T00:00:00.000000Z';

export interface TestTracer {
  readonly tracer: Tracer;
  /** The ended spans, in the order of their ends. */
  readonly spans: readonly SpanRecord[];
  /**
   * Facts about traces, such as sessions, users and metadata, merged from their spans and patches. In the order in which the traces
   * first had facts.
   */
  readonly traces: readonly TraceRecord[];
  /** The sent scores, in order. */
  readonly scores: readonly ScoreRecord[];
  /** The images, sounds and files that values refer to. */
  readonly media: readonly MediaRecord[];
  /** Removes all collected records. */
  clear(): void;
}

/**
 * Creates a tracer for an application's tests: it keeps records in memory and sends nothing. Environment and release come only from the
 * options, so that records are the same on each machine.
 */
export function createTestTracer(
  options: TracerOptions = {},
  parts: Omit<TracerParts, 'sink'> = {},
): TestTracer {
  const sink = new MemorySink();
  const tracer = new Tracer({ apiKey: 'in-memory', ...options }, { env: {}, ...parts, sink });
  return {
    tracer,
    spans: sink.spans,
    traces: sink.traces,
    scores: sink.scores,
    media: sink.media,
    clear: () => {
      sink.clear();
    },
  };
}

/** Parses each line like the service, so that an invalid record fails the test that created it. */
class MemorySink implements RecordSink {
  readonly spans: SpanRecord[] = [];
  readonly traces: TraceRecord[] = [];
  readonly scores: ScoreRecord[] = [];
  readonly media: MediaRecord[] = [];
  private readonly counters = new Counters();
  private readonly facts = new Map<string, TraceFacts>();

  add(line: ByteString): void {
    const record = JSON.parse(decodeText(line)) as Partial<
      Record<'span' | 'trace' | 'score' | 'media', unknown>
    >;
    if (record.span !== undefined) {
      const sent = parseSpanRecord(record.span);
      const span = { ...sent, span_data: withPrompt(sent.span_data) };
      this.spans.push(span);
      this.addFacts(span.trace_id, readSpanFacts(span));
    } else if (record.score !== undefined) this.scores.push(parseScoreRecord(record.score));
    else if (record.media !== undefined) this.media.push(parseMediaRecord(record.media));
    else {
      const patch = parseTraceRecord(record.trace);
      this.addFacts(patch.id, readPatchFacts(patch, EPOCH));
    }
    this.counters.recorded++;
    this.counters.delivered++;
  }

  clear(): void {
    this.spans.length = this.traces.length = this.scores.length = this.media.length = 0;
    this.facts.clear();
  }

  private addFacts(traceId: string, facts: readonly TraceFact[]): void {
    if (facts.length === 0) return;
    const known = this.facts.get(traceId) ?? new TraceFacts();
    this.facts.set(traceId, known);
    known.add(facts);
    const place = this.traces.findIndex(({ id }) => id === traceId);
    this.traces[place === -1 ? this.traces.length : place] = known.toRecord(traceId);
  }

  flush(): Promise<boolean> {
    return Promise.resolve(true);
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }

  stats(): DeliveryStats {
    return this.counters.toStats();
  }
}
