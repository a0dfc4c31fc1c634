import { parseTimestamp, TRACE_AMOUNTS, type TraceSort } from '@dacapo/protocol';
import type { SqlParameter } from '../../../meta/transaction.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import { listFacetConditions } from '../../../spans/facets-of-trace.js';
import { AMOUNT_COLUMNS } from '../../../spans/rows.js';
import { POSTGRES_DIALECT } from '../dialect.js';
import { Conditions } from './conditions.js';
import { facetsAmong, findLexemes, hasFacet, hasSpan, isScored, scoresAmong } from './trace-conditions.js';

export type ListTable = 't' | 'c';

export const LIST_TABLES: Record<ListTable, string> = { t: 'traces', c: 'trace_calls' };

/** Asked of each trace `t`, and under a key of its calls `c`, that a list comes by. */
export interface TestedCondition {
  test: string;
  /** A query of all traces that pass, as `trace_id`; absent where no index finds them. */
  candidates?: string;
}

/** Columns with an index that has the traces of one value in the order of time. Few traces share one of the first three. */
const NARROW_COLUMNS = ['session_id', 'user_id', 'test_run_id'] as const;
const BROAD_COLUMNS = ['release', 'environment'] as const;

/**
 * Splits a filter into what one index decides, which has the rows in the order of the list, and what is left to ask of each of them. The
 * rows are of calls `c` if the list is of a key and by time, else of traces `t`.
 */
export class ListConditions {
  readonly walk = new Conditions();
  readonly tested: TestedCondition[] = [];
  readonly table: ListTable;
  private readonly account: string;
  private readonly isByTime: boolean;
  /** Whose times and outcomes count. */
  private readonly timed: ListTable;

  constructor(
    private readonly accountId: string,
    private readonly filter: TraceFilter,
    sort: TraceSort,
  ) {
    this.isByTime = sort === 'time';
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

  /** One index decides one of them. */
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
      // Most end well: only the others have an index.
      const failed = isFailure ? (row: string) => `${row}.outcome <> 'ok' AND ` : () => '';
      this.add(this.timed, (row) => `${failed(row)}${row}.outcome = ${value}`, decidesFailure, isFailure);
    }
    if (withRecording === true && key !== undefined)
      this.add('c', (row) => `${row}.is_recording = 1`, false, false);
    // Seen in the row itself, so the list is read on until it has a page.
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
  }

  private addSpan(): void {
    const { span, traceFunctionKey: key } = this.filter;
    if (span === undefined) return;
    const test = hasSpan(this.walk, this.accountId, key, span);
    if (span.text === undefined || span.text.length === 0) this.tested.push({ test });
    else {
      const lexemes = findLexemes(this.walk, this.accountId, span.text);
      this.tested.push({
        test,
        candidates: `SELECT x.trace_id FROM span_texts x WHERE x.lexemes @@ ${lexemes}`,
      });
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

  /** @param isIndexed whether an index finds the rows, if the list is read along another one */
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
