const MAX_HELD_CHARACTERS = 32 * 1024 * 1024;

/** The span lines of one trace that is sent only if one of its spans ends with an error. */
export interface HeldTrace {
  /** Of the tracer that the trace began in; spans of another tracer are left out of it. */
  readonly keeper: HeldTraces;
  lines: string[];
  characters: number;
}

/**
 * Holds the traces that sampling left out until it is known whether they hold an error, within a bound.
 *
 * What waits longest is given up first, so a trace that never ends does not hold its place for ever.
 */
export class HeldTraces {
  private readonly waiting = new Set<HeldTrace>();
  private characters = 0;

  constructor(private readonly maxCharacters = MAX_HELD_CHARACTERS) {}

  begin(): HeldTrace {
    return { keeper: this, lines: [], characters: 0 };
  }

  add(trace: HeldTrace, line: string): void {
    trace.lines.push(line);
    trace.characters += line.length;
    this.characters += line.length;
    this.waiting.add(trace);
    for (const oldest of this.waiting) {
      if (this.characters <= this.maxCharacters) return;
      this.take(oldest);
    }
  }

  /** What the trace holds; from here on it holds nothing. */
  take(trace: HeldTrace): string[] {
    const { lines, characters } = trace;
    trace.lines = [];
    trace.characters = 0;
    this.characters -= characters;
    this.waiting.delete(trace);
    return lines;
  }
}
