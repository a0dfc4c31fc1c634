import { MAIN_THREAD, type Turns } from './turns.js';

/**
 * Work that is done in pieces of some size: between two of them whatever else waits for the thread is done. It is counted in what takes
 * time, such as characters that are parsed.
 */
export class Pieces {
  private done = 0;

  /** @param size of a piece; larger work is a piece of its own */
  constructor(
    private readonly size: number,
    private readonly turns: Turns = MAIN_THREAD,
  ) {}

  /** Call it before so much more is done: where that no longer fits into the piece, it waits for the next turn. */
  async fit(more: number): Promise<void> {
    this.done += more;
    if (this.done <= this.size || this.done === more) return;
    this.done = more;
    await this.turns.next();
  }
}
