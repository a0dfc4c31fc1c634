import type { MetricsGroup, TraceGroup } from '@dacapo/protocol';
import { HOUR_US } from '../rules/contribution.js';
import { Tally } from '../rules/tally.js';
import type { TraceFilter } from './trace-filter.js';

export const DAY_HOURS = 24;
export const DAY_US = DAY_HOURS * HOUR_US;

/** Conditions on traces, as in lists. */
export type MetricsFilter = Pick<TraceFilter, TraceGroup | 'span'>;

/** Selects calls that started between two full hours. */
export interface MetricsQuery {
  sinceUs: number;
  untilUs: number;
  /** Only rows of this key; '' means whole traces. Default: a row for each key. */
  traceFunctionKey?: string;
  /** Only rows of these keys. It excludes `traceFunctionKey`, `groupBy` and `where`. */
  traceFunctionKeys?: readonly string[];
  /** The period of a row, from a full hour or day: 1 or 24 hours. Default: the whole time. */
  hours?: number;
  replays: 'exclude' | 'include' | 'only';
  /**
   * Returns a row for each value instead of each key. Without a key, rows count whole traces, or all spans if the value is a field of
   * spans. Only traces that started in the time count. A trace counts once for each of its tags.
   */
  groupBy?: MetricsGroup;
  /** Only traces that match and that started in the time. */
  where?: MetricsFilter;
  /** The maximum of traces to group or filter. Default: {@link MOST_GROUPED_TRACES}. */
  mostTraces?: number;
}

/** The maximum of traces that one request groups or filters. */
export const MOST_GROUPED_TRACES = 20_000;

export interface MetricsRow {
  traceFunctionKey: string;
  /** With `groupBy`: the value; `null` for traces without one. */
  group?: string | null;
  /** Start of the row's hour or day; absent if the row covers the whole time. */
  startUs?: number;
  tally: Tally;
}

export interface MetricsAnswer {
  /** In any order. Rows without a call are skipped. */
  rows: MetricsRow[];
  /** Ingested batches that the rows do not include yet. */
  waitingBatches: number;
  /** There are no rows, because the request would read more than `mostTraces`. */
  isTooMuch?: boolean;
}

/** The start of the hour or day. */
export function floorToPeriod(us: number, hours: number): number {
  const length = hours * HOUR_US;
  return Math.floor(us / length) * length;
}

/** A time whose sums are read by the hour or by the day. */
export interface SummedPeriod {
  hours: 1 | typeof DAY_HOURS;
  sinceUs: number;
  untilUs: number;
}

/** Whole days by the day, and the rest of the first and the last day by the hour. */
export function splitIntoPeriods({ sinceUs, untilUs, hours }: MetricsQuery): SummedPeriod[] {
  const firstDay = floorToPeriod(sinceUs + DAY_US - 1, DAY_HOURS);
  const lastDay = floorToPeriod(untilUs, DAY_HOURS);
  if (hours === 1 || firstDay >= lastDay) return [{ hours: 1, sinceUs, untilUs }];
  const periods: SummedPeriod[] = [
    { hours: 1, sinceUs, untilUs: firstDay },
    { hours: DAY_HOURS, sinceUs: firstDay, untilUs: lastDay },
    { hours: 1, sinceUs: lastDay, untilUs },
  ];
  return periods.filter((period) => period.sinceUs < period.untilUs);
}

/** Adds up tallies by key and, optionally, by time and group. */
export class MetricsRows {
  private readonly rows = new Map<string, MetricsRow>();

  /** Returns the tally to add to. */
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
