import type { Amount } from './condition.js';

/** Amounts of a trace, by their names in a trace summary. Each has a lower and an upper bound in {@link CONDITIONS}. */
export const AMOUNTS = {
  duration_ms: { word: 'duration', unit: 'ms', text: 'that took', sorted: 'Slowest first' },
  tokens: { word: 'tokens', unit: 'tokens', text: 'whose model calls used', sorted: 'Most tokens first' },
  cost_usd: {
    word: 'cost',
    unit: 'US$',
    text: 'whose model calls cost, as far as prices are known,',
    sorted: 'Most expensive first',
  },
  span_count: { word: 'spans', unit: 'spans', text: 'with', sorted: 'Most spans first' },
} as const satisfies Readonly<Record<string, Amount>>;

export type TraceAmount = keyof typeof AMOUNTS;

export const TRACE_AMOUNTS = Object.keys(AMOUNTS) as TraceAmount[];

/** Newest first, oldest first, or largest first. Traces without the amount come last. */
export const TRACE_SORTS: readonly TraceSort[] = ['time', 'oldest', ...TRACE_AMOUNTS];

export type TraceSort = TraceTimeSort | TraceAmount;

type TraceTimeSort = 'time' | 'oldest';

export function isTimeSort(sort: TraceSort): sort is TraceTimeSort {
  return sort === 'time' || sort === 'oldest';
}
