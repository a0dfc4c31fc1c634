import type { StartedRun } from '@dacapo/tracer';
import type { Verdict } from '@dacapo/evaluation';
import type { TextSink } from '../io.js';
import { CLEAR_LINE } from '../output/waiting-line.js';

const WIDTH = 24;
/** Progress lines without a terminal. */
const LINES = 10;

/** Shows the progress of a run: a redrawn bar on a terminal, at most ten lines elsewhere. */
export class Progress {
  private run: StartedRun | undefined;
  private replayed = 0;
  private printedTenths = 0;
  private readonly counts = new Map<string, number>();

  constructor(private readonly sink: TextSink) {}

  start(run: StartedRun): void {
    this.run = run;
    this.replayed = run.replayedBefore;
    const repeated = run.calls === run.items ? '' : `, ${run.calls} calls`;
    const before = run.replayedBefore > 0 ? `, ${run.replayedBefore} replayed before` : '';
    const address = run.testRunUrl === '' ? '' : `${run.testRunUrl}\n`;
    this.sink.write(
      `Test run ${run.testRunId}: ${run.items} ${run.items === 1 ? 'item' : 'items'}${repeated}${before}\n${address}`,
    );
    if (this.sink.isTTY === true && run.items > 0) this.draw();
  }

  add(verdict: Verdict): void {
    this.replayed += 1;
    this.counts.set(verdict, (this.counts.get(verdict) ?? 0) + 1);
    if (this.sink.isTTY === true) this.draw();
    else this.printEachTenth();
  }

  /** Clears the bar. */
  end(): void {
    if (this.sink.isTTY === true && this.run !== undefined) this.sink.write(CLEAR_LINE);
  }

  private draw(): void {
    const { calls } = this.run ?? { calls: 0 };
    const filled = calls === 0 ? WIDTH : Math.min(WIDTH, Math.floor((this.replayed / calls) * WIDTH));
    const bar = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}`;
    this.sink.write(`${CLEAR_LINE}${bar} ${this.replayed}/${calls}  ${this.words()}`);
  }

  private printEachTenth(): void {
    const { calls } = this.run ?? { calls: 0 };
    const tenth = Math.floor((this.replayed / calls) * LINES);
    if (tenth === this.printedTenths) return;
    this.printedTenths = tenth;
    this.sink.write(`${this.replayed} of ${calls}: ${this.words()}\n`);
  }

  private words(): string {
    return Array.from(this.counts, ([verdict, count]) => `${count} ${verdict}`).join(', ');
  }
}
