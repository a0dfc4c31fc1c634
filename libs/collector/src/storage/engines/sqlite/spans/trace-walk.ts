import { parseTimestamp, type TraceAmount, type TraceLabel } from '@dacapo/protocol';
import type { SqlParameter } from '../../../meta/transaction.js';
import type { AmountRange, TraceFilter } from '../../../ports/trace-filter.js';

export type Condition = readonly [sql: string, ...parameters: SqlParameter[]];

/** The entries of one index, in its order: traces `t`, or calls `c` with a key. */
export interface Walk {
  table: 't' | 'c';
  index: string;
  /** The column that sorts the index, greatest first. Equal entries are sorted by trace. */
  sortedBy: string;
  /** Reads the index backwards: the smallest first. */
  isOldestFirst?: boolean;
  /** Conditions that the index decides, besides the bounds of the range. */
  conditions: Condition[];
  lower?: Bound;
  upper?: Bound;
}

/** A bound of the column that sorts a walk. */
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

/** The parts of a filter that a walk by time decides. The others are tested on each trace. */
export interface Decided {
  label: TraceLabel | undefined;
  testRun: boolean;
  status: boolean;
  replays: boolean;
}

/** Labels that few traces share. They decide the walk even if another index could. */
const NARROW_LABELS = ['session_id', 'user_id'] as const;
const BROAD_LABELS = ['release', 'environment'] as const;

export const LABEL_INDEXES: Record<TraceLabel, string> = {
  session_id: 'traces_by_session',
  user_id: 'traces_by_user',
  release: 'traces_by_release',
  environment: 'traces_by_environment',
};

/** Walks along traces, or calls with the key, newest first, with the index that has the fewest entries for the filter. */
export function walkByTime(accountId: string, filter: TraceFilter): { walk: Walk; decided: Decided } {
  const { traceFunctionKey: key, testRunId, status } = filter;
  const table = key === undefined ? 't' : 'c';
  const isFiltered = (name: TraceLabel): boolean => key === undefined && filter[name] !== undefined;
  const narrow = NARROW_LABELS.find(isFiltered);
  const testRun = key === undefined && narrow === undefined && testRunId !== undefined;
  // Most traces are `ok`, so only the other statuses have their own index.
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
  // A call that is not a replay may be in a replayed trace.
  return { walk, decided: { label, testRun, status: isFailure, replays: replays && table === 't' } };
}

/** Walks along traces by an amount, greatest first. Unknown amounts are -1 and come last. */
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
 * The walk after an entry. It has only the nearer of two bounds, because SQLite would seek one in the index and scan entries up to the
 * other.
 */
export function behind(walk: Walk, { sorted_by: by, trace_id }: Entry): Walk {
  const { lower, upper, isOldestFirst } = walk;
  const end = isOldestFirst ? lower : upper;
  if (end !== undefined && !holds(end, by)) return walk;
  const place = `${placeIn(walk)} ${isOldestFirst ? '>' : '<'} (?, ?)`;
  return {
    ...withoutEnd(walk, isOldestFirst ? 'lower' : 'upper'),
    conditions: [...walk.conditions, [place, by, trace_id]],
  };
}

/** The walk up to and including an entry. */
export function upTo(walk: Walk, { sorted_by: by, trace_id }: Entry): Walk {
  const { isOldestFirst } = walk;
  const place = `${placeIn(walk)} ${isOldestFirst ? '<=' : '>='} (?, ?)`;
  return {
    ...withoutEnd(walk, isOldestFirst ? 'upper' : 'lower'),
    conditions: [...walk.conditions, [place, by, trace_id]],
  };
}

function withoutEnd({ lower, upper, ...open }: Walk, end: 'lower' | 'upper'): Walk {
  return { ...open, ...(end === 'upper' && lower && { lower }), ...(end === 'lower' && upper && { upper }) };
}

function holds({ is, by: end }: Bound, by: number): boolean {
  return is === '<' ? by < end : is === '<=' ? by <= end : by >= end;
}

/** The `ORDER BY` of what the walk comes by. */
export function inOrder({ isOldestFirst }: Walk, sortedBy: string, traceId: string): string {
  const direction = isOldestFirst ? 'ASC' : 'DESC';
  return `ORDER BY ${sortedBy} ${direction}, ${traceId} ${direction}`;
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

/** A query of the ids of all traces in a walk. */
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
