import { LONGEST_TIMER_MS } from '../../options/option.js';
import type { RecordedTimes } from './recorded-times.js';

/** Times of version 0.1 are rounded, so that a call may seem to have ended before one that it waited for. */
const ROUNDING_US = 2;

/** The original functions, because a test of the application may have replaced them. */
const { setImmediate, setTimeout, clearTimeout } = globalThis;

/** When an answer arrived in the recording. */
export interface Moment extends RecordedTimes {
  /** When it would arrive at the recorded pace, on the clock of the order. */
  readonly latestMs: number;
}

/**
 * Which answer comes first if the recorded times are too coarse to decide: the one with the earlier recorded end, or the one whose call
 * was made first.
 */
export type TieBreak = 'recorded' | 'made';

interface Waiting extends Moment {
  readonly come: () => void;
}

/**
 * Releases the answers of pending mocked calls in their recorded order, one per turn of the event loop, so that code that one answer
 * resumes runs before the next answer.
 *
 * An answer waits only for calls that were already made. For a call that really runs, it waits no longer than the answered call itself
 * took in the recording, because the running call may now depend on that answer.
 */
export class CompletionOrder {
  /** In reverse order. */
  private readonly waiting: Waiting[] = [];
  /** The recorded ends of calls that really run, by their spans. */
  private readonly running = new Map<string, number>();
  private isTurnDue = false;
  private timer: NodeJS.Timeout | undefined;

  /** Concurrent answers whose order the recorded times do not show. */
  hasTies = false;

  /** @param coarsenessUs possible error of recorded times */
  constructor(
    private readonly nowMs: () => number,
    private readonly coarsenessUs = 0,
    private readonly tieBreak?: TieBreak,
  ) {}

  /** Resolves when it is the answer's turn. */
  turn(moment: Moment): Promise<void> {
    return new Promise((come) => {
      let index = this.waiting.length;
      while (index > 0 && this.comesLater(moment, this.waiting[index - 1] as Waiting)) index--;
      this.waiting.splice(index, 0, { ...moment, come });
      this.letNextCome();
    });
  }

  /** Resolves in the next turn, for answers without a recorded time. */
  next(): Promise<void> {
    return this.turn({ startUs: -Infinity, endUs: -Infinity, latestMs: -Infinity });
  }

  /** Notes that a call runs, and when it ended in the recording. */
  began(spanId: string, endUs: number): void {
    this.running.set(spanId, endUs);
  }

  /** Does nothing for a call that did not start. */
  ended(spanId: string): void {
    if (this.running.delete(spanId)) this.letNextCome();
  }

  private comesLater(moment: Moment, other: Moment): boolean {
    const isTie = Math.abs(moment.endUs - other.endUs) < this.coarsenessUs;
    this.hasTies ||= isTie;
    return (isTie && this.tieBreak === 'made') || comesLater(moment, other);
  }

  private letNextCome(): void {
    if (this.isTurnDue || this.waiting.length === 0) return;
    this.isTurnDue = true;
    setImmediate(() => {
      this.isTurnDue = false;
      this.takeTurn();
    });
  }

  private takeTurn(): void {
    clearTimeout(this.timer);
    const first = this.waiting.at(-1);
    if (first === undefined) return;
    const leftMs = first.latestMs - this.nowMs();
    if (leftMs > 0 && this.isPreceded(first)) {
      this.timer = setTimeout(
        () => {
          this.takeTurn();
        },
        Math.min(leftMs, LONGEST_TIMER_MS),
      );
      return;
    }
    this.waiting.pop();
    first.come();
    this.letNextCome();
  }

  private isPreceded({ endUs }: Moment): boolean {
    for (const otherEndUs of this.running.values()) if (otherEndUs + ROUNDING_US < endUs) return true;
    return false;
  }
}

/** At equal times of a coarse clock, the call that started first comes first, then the one created first. */
function comesLater(a: Moment, b: Moment): boolean {
  return a.endUs > b.endUs || (a.endUs === b.endUs && a.startUs >= b.startUs);
}
