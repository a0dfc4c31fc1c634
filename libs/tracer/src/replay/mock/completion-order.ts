import { LONGEST_TIMER_MS } from '../../options/option.js';
import type { RecordedTimes } from './recorded-times.js';

/** Times of version 0.1 are rounded, so that a call may seem to have ended before one that it waited for. */
const ROUNDING_US = 2;

/** The real ones: a test of the application may have put others in their place. */
const { setImmediate, setTimeout, clearTimeout } = globalThis;

/** The moment at which an answer came in the recording. */
export interface Moment extends RecordedTimes {
  /** When it would come at the recorded pace, on the clock of the order. */
  readonly latestMs: number;
}

/**
 * Which of several answers comes first, whose times do not tell: the one that came first by them all the same, or the one
 * whose call was made first.
 */
export type TieBreak = 'recorded' | 'made';

interface Waiting extends Moment {
  readonly come: () => void;
}

/**
 * Lets the answers of mocked calls that are under way come in the order in which they came in the recording, one in each
 * turn of the event loop, so that what one answer sets off is called before the next one comes.
 *
 * An answer waits for calls that have been made, never for one that may still be made. For a call that really runs it
 * waits no longer than it took itself in the recording: today the two may depend on each other.
 */
export class CompletionOrder {
  /** The last comes first. */
  private readonly waiting: Waiting[] = [];
  /** The recorded ends of calls that really run, by their spans. */
  private readonly running = new Map<string, number>();
  private isTurnDue = false;
  private timer: NodeJS.Timeout | undefined;

  /** Answers waited at one time whose order the recorded times do not tell. */
  hasTies = false;

  /** @param coarsenessUs how far recorded times may be off */
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

  /** Resolves in the next turn: for what nothing was recorded of. */
  next(): Promise<void> {
    return this.turn({ startUs: -Infinity, endUs: -Infinity, latestMs: -Infinity });
  }

  /** A call really runs, which ended then in the recording. */
  began(spanId: string, endUs: number): void {
    this.running.set(spanId, endUs);
  }

  /** Does nothing for a call that did not begin. */
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

/** Of what came at one moment, as coarse clocks tell it, the call that began first comes first, then the one made first. */
function comesLater(a: Moment, b: Moment): boolean {
  return a.endUs > b.endUs || (a.endUs === b.endUs && a.startUs >= b.startUs);
}
