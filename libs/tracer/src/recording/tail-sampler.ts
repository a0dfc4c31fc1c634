import type { ByteString } from '../byte-string.js';

const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** The lines of one trace that is sent only if one of its spans ends with an error. */
export interface PendingTrace {
  /** Of the tracer that the trace began in; spans of another tracer are left out of it. */
  readonly sampler: TailSampler;
  lines: ByteString[];
  bytes: number;
}

/**
 * Keeps back the traces that `sampleRate` left out until it is known whether they hold an error, within a bound.
 *
 * What waits longest is evicted first, so a trace that never ends does not keep its place for ever.
 */
export class TailSampler {
  private readonly waiting = new Set<PendingTrace>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_PENDING_BYTES) {}

  begin(): PendingTrace {
    return { sampler: this, lines: [], bytes: 0 };
  }

  hold(trace: PendingTrace, line: ByteString): void {
    trace.lines.push(line);
    trace.bytes += line.length;
    this.bytes += line.length;
    this.waiting.add(trace);
    for (const oldest of this.waiting) {
      if (this.bytes <= this.maxBytes) return;
      this.release(oldest);
    }
  }

  /** What was held of the trace, to be sent or to be dropped; from here on nothing is. */
  release(trace: PendingTrace): ByteString[] {
    const { lines, bytes } = trace;
    trace.lines = [];
    trace.bytes = 0;
    this.bytes -= bytes;
    this.waiting.delete(trace);
    return lines;
  }
}
