import { parseTimestamp, type TraceAmount, type TraceLabel } from '@dacapo/protocol';
import type { SqlParameter } from '../../../meta/transaction.js';
import type { AmountRange, TraceFilter } from '../../../ports/trace-filter.js';

export type Condition = readonly [sql: string, ...parameters: SqlParameter[]];

/** The entries of one index in its order: of traces `t`, or of the calls `c` of a key. */
export interface Walk {
  table: 't' | 'c';
  index: string;
  /** The column of the index by which its entries are sorted, the greatest first, and then by the trace. */
  sortedBy: string;
  /** What this index decides, in addition to the ends of the range. */
  conditions: Condition[];
  lower?: Bound;
  upper?: Bound;
}

/** Of the column by which a walk is sorted. */
interface Bound {
  is: '<' | '<=' | '>=';
  by: number;
}

/** An entry of a walk's index. */
export interface Entry {
  sorted_by: number;
  trace_id: string;
}

export const TABLES = { t: 'traces t', c: 'trace_calls c' };

const AMOUNTS: Record<TraceAmount, Pick<Walk, 'sortedBy' | 'index'>> = {
  duration_ms: { sortedBy: 't.duration_order', index: 'traces_by_duration' },
  tokens: { sortedBy: 't.tokens_order', index: 'traces_by_tokens' },
  cost_usd: { sortedBy: 't.cost_order', index: 'traces_by_cost' },
  span_count: { sortedBy: 't.span_count', index: 'traces_by_spans' },
};

/** Which parts of a filter a walk along traces in the order of time decides; a test is left to decide the others. */
export interface Decided {
  label: TraceLabel | undefined;
  testRun: boolean;
  status: boolean;
  replays: boolean;
}

/** Labels that few traces share come first: they decide the walk even where another index might. */
const NARROW_LABELS = ['session_id', 'user_id'] as const;
const BROAD_LABELS = ['release', 'environment'] as const;

export const LABEL_INDEXES: Record<TraceLabel, string> = {
  session_id: 'traces_by_session',
  user_id: 'traces_by_user',
  release: 'traces_by_release',
  environment: 'traces_by_environment',
};

/** Traces, or calls of the key, from the newest on: of those that are asked for, the fewest that one index has side by side. */
export function walkByTime(accountId: string, filter: TraceFilter): { walk: Walk; decided: Decided } {
  const { traceFunctionKey: key, testRunId, status } = filter;
  const table = key === undefined ? 't' : 'c';
  const isFiltered = (name: TraceLabel): boolean => key === undefined && filter[name] !== undefined;
  const narrow = NARROW_LABELS.find(isFiltered);
  const testRun = key === undefined && narrow === undefined && testRunId !== undefined;
  // Most end well: those are met on any way, while the others have indexes of their own.
  const isFailure = narrow === undefined && !testRun && status !== undefined && status !== 'ok';
  const label = narrow ?? (testRun || isFailure ? undefined : BROAD_LABELS.find(isFiltered));
  const replays = label === undefined && !testRun && filter.withoutReplays === true;
  const of = { t: replays ? 'recorded_traces' : 'traces', c: replays ? 'recorded_calls' : 'trace_calls' }[
    table
  ];
  const index = `${of}_${isFailure ? 'not_ok' : 'by_time'}`;
  const isRecorded = { t: 't.test_run_id IS NULL', c: 'c.is_replay = 0' }[table];
  const walk: Walk = {
    table,
    index: label !== undefined ? LABEL_INDEXES[label] : testRun ? 'traces_by_test_run' : index,
    sortedBy: `${table}.started_us`,
    conditions: [
      [`${table}.account_id = ?`, accountId],
      ...whenDefined(key, (value) => ['c.trace_function_key = ?', value]),
      ...(label === undefined ? [] : whenDefined(filter[label], (value) => [`t.${label} = ?`, value])),
      ...(testRun ? whenDefined(testRunId, (value) => ['t.test_run_id = ?', value]) : []),
      ...(isFailure ? [[`${table}.outcome <> 'ok' AND ${table}.outcome = ?`, status] as const] : []),
      ...(replays ? [[isRecorded] as const] : []),
    ],
    ...(filter.since !== undefined && { lower: { is: '>=', by: parseTimestamp(filter.since) ?? 0 } }),
    ...(filter.until !== undefined && { upper: { is: '<', by: parseTimestamp(filter.until) ?? 0 } }),
  };
  // That a call is no replay says nothing of its trace.
  return { walk, decided: { label, testRun, status: isFailure, replays: replays && table === 't' } };
}

/** Traces from the one with the most on; last those whose amount is not known, which is -1. */
export function walkByAmount(accountId: string, amount: TraceAmount, range: AmountRange | undefined): Walk {
  const { least = 0, most } = range ?? {};
  return {
    ...AMOUNTS[amount],
    table: 't',
    conditions: [['t.account_id = ?', accountId]],
    ...(range !== undefined && { lower: { is: '>=', by: least } }),
    ...(most !== undefined && { upper: { is: '<=', by: most } }),
  };
}

/**
 * What is behind a place. One of two ends would be sought in the index, and entries up to the other one looked through: so there is
 * one, the nearer.
 */
export function behind(walk: Walk, { sorted_by: by, trace_id }: Entry): Walk {
  const { upper, ...open } = walk;
  const isOutside = upper !== undefined && (upper.is === '<' ? by >= upper.by : by > upper.by);
  return isOutside
    ? walk
    : { ...open, conditions: [...walk.conditions, [`${placeIn(walk)} < (?, ?)`, by, trace_id]] };
}

/** What comes by until this entry of the walk, and it. */
export function upTo(walk: Walk, { sorted_by: by, trace_id }: Entry): Walk {
  const { table, index, sortedBy, conditions, upper } = walk;
  return {
    ...{ table, index, sortedBy },
    conditions: [...conditions, [`${placeIn(walk)} >= (?, ?)`, by, trace_id]],
    ...(upper && { upper }),
  };
}

function placeIn({ table, sortedBy }: Walk): string {
  return `(${sortedBy}, ${table}.trace_id)`;
}

export function walkConditions({ sortedBy, conditions, lower, upper }: Walk): Condition[] {
  const ends = [lower, upper].filter((end) => end !== undefined);
  return [...conditions, ...ends.map(({ is, by }) => [`${sortedBy} ${is} ?`, by] as const)];
}

export function indexedTable({ table, index }: Walk): string {
  return `${TABLES[table]} INDEXED BY ${index}`;
}

/** A query of the ids of all traces that the walk comes by. */
export function selectTraceIds(walk: Walk): Condition {
  const [sql, ...parameters] = joinConditions(walkConditions(walk));
  return [`SELECT ${walk.table}.trace_id FROM ${indexedTable(walk)} WHERE ${sql}`, ...parameters];
}

export function joinConditions(conditions: readonly Condition[]): Condition {
  return [
    conditions.map(([sql]) => sql).join(' AND '),
    ...conditions.flatMap(([, ...parameters]) => parameters),
  ];
}

function whenDefined<V>(value: V | undefined, toCondition: (value: V) => Condition): Condition[] {
  return value === undefined ? [] : [toCondition(value)];
}
