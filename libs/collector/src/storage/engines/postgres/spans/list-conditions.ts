import { isTimeSort, parseTimestamp, TRACE_AMOUNTS, type TraceSort } from '@dacapo/protocol';
import type { SqlParameter } from '../../../meta/transaction.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import { listFacetConditions, toFacet } from '../../../spans/facets-of-trace.js';
import { AMOUNT_COLUMNS } from '../../../spans/rows.js';
import { POSTGRES_DIALECT } from '../dialect.js';
import { Conditions } from './conditions.js';
import { facetsAmong, hasFacet, hasSpan, isScored, scoresAmong, textsAmong } from './trace-conditions.js';

export type ListTable = 't' | 'c';

export const LIST_TABLES: Record<ListTable, string> = { t: 'traces', c: 'trace_calls' };

/** A condition that a list tests on each trace `t` or, with a key, call `c`. */
export interface TestedCondition {
  test: string;
  /** A query of all matching traces, as `trace_id`; absent if no index finds them. */
  candidates?: string;
  /** The index reads all matches, however few are asked for. */
  readsAllMatches?: true;
}

/** Columns with an index on value and time. Few traces share a value of these. */
const NARROW_COLUMNS = ['session_id', 'user_id', 'test_run_id'] as const;
const BROAD_COLUMNS = ['release', 'environment'] as const;

/**
 * Splits a filter into conditions for one index, which has the rows in the order of the list, and conditions to test on each row. Rows are
 * calls `c` if the list has a key and is sorted by time, else traces `t`.
 */
export class ListConditions {
  readonly walk = new Conditions();
  readonly tested: TestedCondition[] = [];
  readonly table: ListTable;
  private readonly account: string;
  private readonly isByTime: boolean;
  /** The table whose times and outcomes count. */
  private readonly timed: ListTable;

  constructor(
    private readonly accountId: string,
    private readonly filter: TraceFilter,
    sort: TraceSort,
  ) {
    this.isByTime = isTimeSort(sort);
    this.timed = filter.traceFunctionKey === undefined ? 't' : 'c';
    this.table = this.isByTime ? this.timed : 't';
    this.account = this.walk.bind(accountId);
    this.walk.add(`${this.table}.account_id = ${this.account}`);
    this.addTimes();
    this.addColumns();
    this.addAmounts(sort);
    this.addTraces();
    this.addFacets();
    this.addSpan();
    this.addScore();
  }

  private addTimes(): void {
    const { traceFunctionKey: key, since, until } = this.filter;
    if (key !== undefined) this.compare('c', 'trace_function_key', '=', key, this.isByTime);
    if (since !== undefined) {
      this.compare(this.timed, 'started_us', '>=', parseTimestamp(since), this.isByTime);
    }
    if (until !== undefined) {
      this.compare(this.timed, 'started_us', '<', parseTimestamp(until), this.isByTime);
    }
  }

  /** One of these columns may use an index. */
  private addColumns(): void {
    const { testRunId, traceFunctionKey: key, status, withRecording, withoutReplays } = this.filter;
    const values = { ...this.filter, test_run_id: testRunId };
    const given = [...NARROW_COLUMNS, ...BROAD_COLUMNS].filter((column) => values[column] !== undefined);
    const isFailure = status !== undefined && status !== 'ok';
    const isNarrow = NARROW_COLUMNS.some((column) => given[0] === column);
    const decidesFailure = this.isByTime && isFailure && (key !== undefined || !isNarrow);
    const decided = this.isByTime && key === undefined && !decidesFailure ? given[0] : undefined;
    for (const column of given) this.compare('t', column, '=', values[column], column === decided);
    if (status !== undefined) {
      const value = this.walk.bind(status);
      // Most traces are `ok`, so only the other statuses have an index.
      const failed = isFailure ? (row: string) => `${row}.outcome <> 'ok' AND ` : () => '';
      this.add(this.timed, (row) => `${failed(row)}${row}.outcome = ${value}`, decidesFailure, isFailure);
    }
    if (withRecording === true && key !== undefined)
      this.add('c', (row) => `${row}.is_recording = 1`, false, false);
    // Tested on the row itself while the list is read.
    if (withoutReplays === true)
      this.add('t', (row) => `${row}.test_run_id IS NULL`, this.table === 't', false);
  }

  private addAmounts(sort: TraceSort): void {
    for (const amount of TRACE_AMOUNTS) {
      const range = this.filter.amounts?.[amount];
      if (range === undefined) continue;
      const { least = 0, most } = range;
      const column = AMOUNT_COLUMNS[amount];
      this.compare('t', column, '>=', least, amount === sort);
      if (most !== undefined) this.compare('t', column, '<=', most, amount === sort);
    }
  }

  private addTraces(): void {
    const { traceIds } = this.filter;
    if (traceIds === undefined) return;
    const named = `SELECT value AS trace_id FROM ${POSTGRES_DIALECT.texts(this.walk.bind(JSON.stringify(traceIds)))}`;
    this.tested.push({ test: `t.trace_id IN (${named})`, candidates: named });
  }

  private addFacets(): void {
    for (const anyOf of listFacetConditions(this.filter)) {
      const found = facetsAmong(this.walk, this.account, anyOf);
      this.tested.push({ test: hasFacet(found), candidates: `SELECT f.trace_id FROM ${found}` });
    }
    const without = (this.filter.except_tags ?? []).map((tag) => toFacet('tag', tag));
    if (without.length > 0)
      this.tested.push({ test: `NOT ${hasFacet(facetsAmong(this.walk, this.account, without))}` });
  }

  private addSpan(): void {
    const { span, traceFunctionKey: key } = this.filter;
    if (span === undefined) return;
    const test = hasSpan(this.walk, this.accountId, key, span);
    if (span.text === undefined || span.text.length === 0) this.tested.push({ test });
    else {
      const found = textsAmong(this.walk, this.accountId, span.text);
      this.tested.push({ test, candidates: `SELECT x.trace_id FROM ${found}`, readsAllMatches: true });
    }
  }

  private addScore(): void {
    if (this.filter.score === undefined) return;
    const found = scoresAmong(this.walk, this.account, 'trace', this.filter.score);
    const candidates = `SELECT k.target_id AS trace_id FROM ${found}`;
    this.tested.push({ test: isScored('t.trace_id', found), candidates });
  }

  private compare(
    table: ListTable,
    column: string,
    operator: '=' | '<' | '<=' | '>=',
    value: SqlParameter,
    isWalked: boolean,
  ): void {
    const name = this.walk.bind(value);
    this.add(table, (row) => `${row}.${column} ${operator} ${name}`, isWalked);
  }

  /** @param isIndexed whether an index finds the rows if the list is read along another index */
  private add(
    table: ListTable,
    condition: (row: string) => string,
    isWalked: boolean,
    isIndexed = true,
  ): void {
    if (isWalked) {
      this.walk.add(condition(table));
      return;
    }
    const { traceFunctionKey: key } = this.filter;
    const ofKey =
      table === 'c' && key !== undefined ? ` AND q.trace_function_key = ${this.walk.bind(key)}` : '';
    const candidates = `SELECT q.trace_id FROM ${LIST_TABLES[table]} q
      WHERE q.account_id = ${this.account}${ofKey} AND ${condition('q')}`;
    this.tested.push({ test: condition(table), ...(isIndexed && { candidates }) });
  }
}
