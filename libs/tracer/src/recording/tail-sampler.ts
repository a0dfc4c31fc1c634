import type { ByteString } from '../byte-string.js';

const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** The lines of one trace that is sent only if one of its spans ends with an error. */
export interface PendingTrace {
  /** The sampler of the tracer in which the trace began. Spans of other tracers are not held. */
  readonly sampler: TailSampler;
  lines: ByteString[];
  bytes: number;
}

/**
 * Holds traces that `sampleRate` skipped until it is known whether they contain an error, up to a memory limit.
 *
 * Beyond the limit, the oldest trace is dropped first, so a trace that never ends does not occupy memory forever.
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

  /** Returns the held lines of a trace, to be sent or dropped, and stops holding it. */
  release(trace: PendingTrace): ByteString[] {
    const { lines, bytes } = trace;
    trace.lines = [];
    trace.bytes = 0;
    this.bytes -= bytes;
    this.waiting.delete(trace);
    return lines;
  }
}
