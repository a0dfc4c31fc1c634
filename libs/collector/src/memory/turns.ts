import { Injectable } from '@nestjs/common';

/**
 * Shares the main thread. Long work is done in pieces that wait for their turns; there is one each time round the event loop, so
 * that whatever comes in meanwhile is answered, however many requests are at long work.
 */
@Injectable()
export class Turns {
  private readonly waiting: (() => void)[] = [];

  /** First come, first served. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(this.give);
    });
  }

  private readonly give = (): void => {
    const [first] = this.waiting.splice(0, 1);
    if (this.waiting.length > 0) setImmediate(this.give);
    first?.();
  };
}

/** Those of this thread: whoever does long work here takes them of it, so that it is one piece at a time. */
export const MAIN_THREAD = new Turns();
