import { MAIN_THREAD, type Turns } from './turns.js';

/** Divides long work into pieces, between which other work of the thread runs. The unit is up to the caller, such as characters. */
export class Pieces {
  private done = 0;

  /** @param size of a piece; larger work becomes a piece of its own */
  constructor(
    private readonly size: number,
    private readonly turns: Turns = MAIN_THREAD,
  ) {}

  /** Call this before the work. Waits for the next turn if the work does not fit into the current piece. */
  async fit(more: number): Promise<void> {
    this.done += more;
    if (this.done <= this.size || this.done === more) return;
    this.done = more;
    await this.turns.next();
  }
}
