import type { ByteString } from '../byte-string.js';

const MAX_HELD_BYTES = 32 * 1024 * 1024;

/** The span lines of one trace that is sent only if one of its spans ends with an error. */
export interface HeldTrace {
  /** Of the tracer that the trace began in; spans of another tracer are left out of it. */
  readonly keeper: HeldTraces;
  lines: ByteString[];
  bytes: number;
}

/**
 * Holds the traces that sampling left out until it is known whether they hold an error, within a bound.
 *
 * What waits longest is given up first, so a trace that never ends does not hold its place for ever.
 */
export class HeldTraces {
  private readonly waiting = new Set<HeldTrace>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_HELD_BYTES) {}

  begin(): HeldTrace {
    return { keeper: this, lines: [], bytes: 0 };
  }

  add(trace: HeldTrace, line: ByteString): void {
    trace.lines.push(line);
    trace.bytes += line.length;
    this.bytes += line.length;
    this.waiting.add(trace);
    for (const oldest of this.waiting) {
      if (this.bytes <= this.maxBytes) return;
      this.take(oldest);
    }
  }

  /** What the trace holds; from here on it holds nothing. */
  take(trace: HeldTrace): ByteString[] {
    const { lines, bytes } = trace;
    trace.lines = [];
    trace.bytes = 0;
    this.bytes -= bytes;
    this.waiting.delete(trace);
    return lines;
  }
}
