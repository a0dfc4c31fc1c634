import { HOUR_US } from './contribution.js';
import { Tally } from './tally.js';

export const DAY_HOURS = 24;

/** Calls that started between two full hours. */
export interface MetricsQuery {
  sinceUs: number;
  untilUs: number;
  /** Rows of this key alone; '' is whole traces. All keys, one row each, when absent. */
  traceFunctionKey?: string;
  /** How many hours a row is of, 1 or 24, from the full hour or day on; all of the time when absent. */
  hours?: number;
  replays: 'exclude' | 'include' | 'only';
}

export interface MetricsRow {
  traceFunctionKey: string;
  /** When its hour or day begins; absent when it is of all of the time. */
  startUs?: number;
  tally: Tally;
}

export interface MetricsAnswer {
  /** In any order; those without a call are skipped. */
  rows: MetricsRow[];
  /** Batches that were ingested and are not in the rows yet. */
  waitingBatches: number;
}

/** When the hour, or the day, begins. */
export function startOf(us: number, hours: number): number {
  const length = hours * HOUR_US;
  return Math.floor(us / length) * length;
}

/** Adds tallies up by key and, where it is asked for, by time. */
export class MetricsRows {
  private readonly rows = new Map<string, MetricsRow>();

  /** The tally to add to. */
  at(traceFunctionKey: string, startUs: number | undefined): Tally {
    const name = `${startUs ?? ''} ${traceFunctionKey}`;
    let row = this.rows.get(name);
    if (row === undefined) {
      row = { traceFunctionKey, ...(startUs !== undefined && { startUs }), tally: new Tally() };
      this.rows.set(name, row);
    }
    return row.tally;
  }

  all(): MetricsRow[] {
    return [...this.rows.values()].filter(({ tally }) => !tally.isEmpty);
  }
}
