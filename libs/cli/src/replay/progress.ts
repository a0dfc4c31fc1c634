import type { StartedRun } from '@dacapo/tracer';
import type { Verdict } from '@dacapo/evaluation';
import type { TextSink } from '../io.js';

const WIDTH = 24;
/** Where nothing can be drawn over, so many lines are printed at most. */
const LINES = 10;
/** Begins a terminal's line again. */
export const CLEAR_LINE = '\r\u001b[2K';

/** Shows how far a run is: a bar that is drawn over on a terminal, a line now and then elsewhere. */
export class Progress {
  private run: StartedRun | undefined;
  private played = 0;
  private told = 0;
  private readonly counts = new Map<string, number>();

  constructor(private readonly sink: TextSink) {}

  start(run: StartedRun): void {
    this.run = run;
    this.played = run.playedBefore;
    const repeated = run.playings === run.items ? '' : `, ${run.playings} playings`;
    const before = run.playedBefore > 0 ? `, ${run.playedBefore} replayed before` : '';
    const address = run.testRunUrl === '' ? '' : `${run.testRunUrl}\n`;
    this.sink.write(
      `Test run ${run.testRunId}: ${run.items} ${run.items === 1 ? 'item' : 'items'}${repeated}${before}\n${address}`,
    );
    if (this.sink.isTTY === true && run.items > 0) this.draw();
  }

  add(verdict: Verdict): void {
    this.played += 1;
    this.counts.set(verdict, (this.counts.get(verdict) ?? 0) + 1);
    if (this.sink.isTTY === true) this.draw();
    else this.tellEachTenth();
  }

  /** Leaves the line to what comes. */
  end(): void {
    if (this.sink.isTTY === true && this.run !== undefined) this.sink.write(CLEAR_LINE);
  }

  private draw(): void {
    const { playings } = this.run ?? { playings: 0 };
    const filled = playings === 0 ? WIDTH : Math.min(WIDTH, Math.floor((this.played / playings) * WIDTH));
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    this.sink.write(`${CLEAR_LINE}${bar} ${this.played}/${playings}  ${this.words()}`);
  }

  private tellEachTenth(): void {
    const { playings } = this.run ?? { playings: 0 };
    const tenth = Math.floor((this.played / playings) * LINES);
    if (tenth === this.told) return;
    this.told = tenth;
    this.sink.write(`${this.played} of ${playings}: ${this.words()}\n`);
  }

  private words(): string {
    return Array.from(this.counts, ([verdict, count]) => `${count} ${verdict}`).join(', ');
  }
}
