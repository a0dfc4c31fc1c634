import type { StartedRun } from '@dacapo/tracer';
import type { CliIo, TextSink } from '../io.js';
import { Progress } from '../replay/progress.js';
import type { MaskedItem } from '@dacapo/tracer/internal';
import type { EvalGrid, GridRow } from './eval-grid.js';
import { gridTable } from './grid-table.js';

/** Lines besides the rows: heading, means, progress, and the shell's prompt. */
const OTHER_LINES = 5;
const MOST_ROWS = 20;
/** Redrawing a large table for each item would take longer than the items. */
const REDRAW_INTERVAL_MS = 100;

/** Shows a grid while it fills: redrawn in place on a terminal, as progress lines elsewhere. */
export class LiveGrid {
  private progress: Progress | undefined;
  private run: StartedRun | undefined;
  private variant = '';
  private done = 0;
  private drawnAtMs = -Infinity;

  /** @param isQuiet shows nothing */
  constructor(
    private readonly grid: EvalGrid,
    private readonly io: Pick<CliIo, 'stderr'>,
    private readonly isQuiet: boolean,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  start(variant: string, run: StartedRun): void {
    this.variant = variant;
    this.run = run;
    this.done = 0;
    if (this.isQuiet) return;
    if (this.redraws()) {
      this.draw(undefined);
      return;
    }
    if (variant !== '') this.io.stderr.write(`${variant}: `);
    this.progress = new Progress(this.io.stderr);
    this.progress.start(run);
  }

  /** @param item already in the grid */
  add(item: MaskedItem): void {
    this.done++;
    if (this.isQuiet) return;
    if (!this.redraws()) this.progress?.add(item.verdict);
    else if (this.nowMs() - this.drawnAtMs >= REDRAW_INTERVAL_MS) this.draw(item.itemNo);
  }

  /** Erases the drawing. */
  end(): void {
    this.progress?.end();
    if (!this.isQuiet) this.io.stderr.redraw?.('');
  }

  private redraws(): boolean {
    return this.io.stderr.isTTY === true && this.io.stderr.redraw !== undefined;
  }

  private draw(itemNo: number | undefined): void {
    this.drawnAtMs = this.nowMs();
    const { columns, rows: lines = MOST_ROWS + OTHER_LINES }: TextSink = this.io.stderr;
    const shown = around(this.grid.rows(), itemNo, Math.max(1, Math.min(MOST_ROWS, lines - OTHER_LINES)));
    const table = shown.length === 0 ? '' : gridTable(this.grid, shown, columns);
    const title = this.variant === '' ? '' : `${this.variant}: `;
    this.io.stderr.redraw?.(`${table}${title}${this.done} of ${this.run?.calls ?? 0}`);
  }
}

/** Selects `count` rows that end with the changed one, if there are enough before it. */
function around(rows: readonly GridRow[], itemNo: number | undefined, count: number): readonly GridRow[] {
  const changed = rows.findIndex((row) => row.itemNo === itemNo);
  const end = Math.max(count, changed + 1);
  return rows.slice(Math.max(0, Math.min(end, rows.length) - count), end);
}
