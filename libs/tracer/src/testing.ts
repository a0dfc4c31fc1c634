import {
  parseScoreRecord,
  parseSpanRecord,
  parseTraceRecord,
  type ScoreRecord,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import { type ByteString, decodeText } from './byte-string.js';
import { Counters } from './delivery/counters.js';
import type { DeliveryStats, RecordSink } from './delivery/record-sink.js';
import type { TracerOptions } from './options/tracer-options.js';
import { Tracer } from './tracer.js';
import type { TracerParts } from './tracer-parts.js';

export interface TestTracer {
  readonly tracer: Tracer;
  /** The spans that ended, in the order they ended in. */
  readonly spans: readonly SpanRecord[];
  /** The patches of traces, in the order they were made in. */
  readonly traces: readonly TraceRecord[];
  /** The scores that were given, in order. */
  readonly scores: readonly ScoreRecord[];
  /** Forgets all of them. */
  clear(): void;
}

/** A tracer that keeps its records in memory and sends nothing: for the tests of an application. */
export function createTestTracer(
  options: TracerOptions = {},
  parts: Omit<TracerParts, 'sink'> = {},
): TestTracer {
  const sink = new MemorySink();
  const tracer = new Tracer({ apiKey: 'in-memory', ...options }, { ...parts, sink });
  return {
    tracer,
    spans: sink.spans,
    traces: sink.traces,
    scores: sink.scores,
    clear: () => {
      sink.spans.length = sink.traces.length = sink.scores.length = 0;
    },
  };
}

/** Reads each line back as the service would, so that a record no collector takes fails the test that made it. */
class MemorySink implements RecordSink {
  readonly spans: SpanRecord[] = [];
  readonly traces: TraceRecord[] = [];
  readonly scores: ScoreRecord[] = [];
  private readonly counters = new Counters();

  add(line: ByteString): void {
    const record = JSON.parse(decodeText(line)) as { span?: unknown; trace?: unknown; score?: unknown };
    if (record.span !== undefined) this.spans.push(parseSpanRecord(record.span));
    else if (record.score !== undefined) this.scores.push(parseScoreRecord(record.score));
    else this.traces.push(parseTraceRecord(record.trace));
    this.counters.recorded++;
    this.counters.delivered++;
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
