import type { MetricsGroup, TraceGroup } from '@dacapo/protocol';
import { HOUR_US } from '../rules/contribution.js';
import { Tally } from '../rules/tally.js';
import type { TraceFilter } from './trace-filter.js';

export const DAY_HOURS = 24;

/** Conditions on traces, as lists have them. */
export type MetricsFilter = Pick<TraceFilter, TraceGroup | 'span'>;

/** Calls that started between two full hours. */
export interface MetricsQuery {
  sinceUs: number;
  untilUs: number;
  /** Rows of this key alone; '' is whole traces. All keys, one row each, when absent. */
  traceFunctionKey?: string;
  /** How many hours a row is of, 1 or 24, from the full hour or day on; all of the time when absent. */
  hours?: number;
  replays: 'exclude' | 'include' | 'only';
  /**
   * One row for each value in place of one for each key, of traces that started in the time: whole traces, or of fields of spans all
   * spans, where no key is given. A trace counts for each of its tags.
   */
  groupBy?: MetricsGroup;
  /** Only of traces that match and that started in the time. */
  where?: MetricsFilter;
  /** More traces than these are not grouped or filtered; `MOST_GROUPED_TRACES` when absent. */
  mostTraces?: number;
}

/** Traces that are read to group or filter them; more are not. */
export const MOST_GROUPED_TRACES = 20_000;

export interface MetricsRow {
  traceFunctionKey: string;
  /** Where rows are of groups; `null`: of none. */
  group?: string | null;
  /** When its hour or day begins; absent when it is of all of the time. */
  startUs?: number;
  tally: Tally;
}

export interface MetricsAnswer {
  /** In any order; those without a call are skipped. */
  rows: MetricsRow[];
  /** Batches that were ingested and are not in the rows yet. */
  waitingBatches: number;
  /** More than `mostTraces` would have to be read: there are no rows. */
  isTooMuch?: boolean;
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
  at(traceFunctionKey: string, startUs: number | undefined, group?: string | null): Tally {
    const name = `${startUs ?? ''} ${group === undefined ? '' : JSON.stringify(group)} ${traceFunctionKey}`;
    let row = this.rows.get(name);
    if (row === undefined) {
      row = {
        traceFunctionKey,
        ...(group !== undefined && { group }),
        ...(startUs !== undefined && { startUs }),
        tally: new Tally(),
      };
      this.rows.set(name, row);
    }
    return row.tally;
  }

  all(): MetricsRow[] {
    return [...this.rows.values()].filter(({ tally }) => !tally.isEmpty);
  }
}
