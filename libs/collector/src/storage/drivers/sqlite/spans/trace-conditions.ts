import { parseTimestamp, TRACE_AMOUNTS, type TraceAmount, type TraceSort } from '@dacapo/protocol';
import {
  type AmountRange,
  type MetadataFilter,
  readingsOf,
  type SpanFilter,
  type TraceFilter,
} from '../../../trace-filter.js';
import type { SqlParameter } from '../sql-value.js';
import { facetsOf } from './facet-steps.js';
import { isScored, scoredBy } from './scores.js';

export type Condition = [sql: string, ...parameters: SqlParameter[]];

/** What is asked of each trace `t` that a list walks along. */
export interface TestedCondition {
  test: Condition;
  /** Finds the ids of all that may fulfil it. */
  candidates?: Condition;
}

/** By an expression that has an index; -1 where it is not known. */
export function amountColumn(amount: TraceAmount): string {
  return `coalesce(t.${amount}, -1)`;
}

/**
 * The conditions of a list of traces `t`, and under a key of its calls `c`.
 *
 * @returns `walked`: of the table whose index gives the order, those that this index holds; `tested`: the others
 */
export function traceConditions(
  accountId: string,
  filter: TraceFilter,
  sort: TraceSort,
): { walked: Condition[]; tested: TestedCondition[] } {
  const { traceFunctionKey: key, sessionId, testRunId, status, span, score, metadata = [] } = filter;
  const byTime = sort === 'time';
  const calls = key === undefined ? 't' : 'c';
  const times: Condition[] = [
    ...(filter.since === undefined ? [] : [timeCondition(`${calls}.started_us >= ?`, filter.since)]),
    ...(filter.until === undefined ? [] : [timeCondition(`${calls}.started_us < ?`, filter.until)]),
  ];
  const ofKey: Condition[] = key === undefined ? [] : [['c.trace_function_key = ?', key]];
  const ofStatus: Condition[] = [
    ...(status === undefined ? [] : [[`${calls}.outcome = ?`, status] satisfies Condition]),
    // Said so that the index of those is taken.
    ...(status === undefined || status === 'ok' || key === undefined
      ? []
      : [["c.outcome <> 'ok'"] satisfies Condition]),
  ];
  const ofSession: Condition[] = sessionId === undefined ? [] : [['t.session_id = ?', sessionId]];
  const ofRun: Condition[] = testRunId === undefined ? [] : [['t.test_run_id = ?', testRunId]];
  // Each of them has an index in the order of time; of several, one is walked along and the others are tested.
  const [along, ...others] = byTime
    ? key === undefined
      ? [ofSession, ofRun, ofStatus].filter((conditions) => conditions.length > 0)
      : [[...ofKey, ...ofStatus], ofSession, ofRun]
    : [[], [...ofKey, ...times], ofSession, ofRun, ofStatus];
  const from = { t: 'traces t', c: 'trace_calls c' };
  const tests = others
    .filter((conditions) => conditions.length > 0)
    .map((conditions): TestedCondition => {
      const table = conditions.some(([sql]) => sql.startsWith('c.')) ? 'c' : 't';
      const found = [
        [`${table}.account_id = ?`, accountId] satisfies Condition,
        ...(table === 'c' ? ofKey.filter((condition) => !conditions.includes(condition)) : []),
        ...conditions,
      ];
      const [sql, ...parameters] = allOf(found);
      return {
        test: allOf(conditions.map(([tested, ...values]) => [unindexed(tested), ...values])),
        candidates: [`SELECT ${table}.trace_id FROM ${from[table]} WHERE ${sql}`, ...parameters],
      };
    });
  const isWalkRecorded = byTime && (key !== undefined || (sessionId ?? testRunId) === undefined);
  const recorded: Condition[] = !filter.withoutReplays
    ? []
    : [...(key === undefined ? [] : ['c.is_replay = 0']), 't.test_run_id IS NULL'].map((sql) => [sql]);
  return {
    walked: [
      [`${byTime ? calls : 't'}.account_id = ?`, accountId],
      ...(along ?? []),
      ...(byTime ? times : []),
      ...(isWalkRecorded ? recorded.slice(0, 1) : []),
      ...amountsWalked(filter, sort),
    ],
    tested: [
      ...(isWalkRecorded ? recorded.slice(1) : recorded).map((test) => ({ test })),
      ...tests,
      ...(span === undefined ? [] : spanConditions(accountId, key, span)),
      ...amountsTested(accountId, filter, sort),
      ...metadata.map((wanted) => metadataCondition(accountId, wanted)),
      ...(score === undefined
        ? []
        : [
            {
              test: isScored('t.trace_id', accountId, 'trace', score),
              candidates: scoredBy('target_id AS trace_id', accountId, 'trace', score),
            },
          ]),
    ],
  };
}

function timeCondition(sql: string, time: string): Condition {
  return [sql, parseTimestamp(time)];
}

function allOf(conditions: readonly Condition[]): Condition {
  return [
    conditions.map(([sql]) => sql).join(' AND '),
    ...conditions.flatMap(([, ...parameters]) => parameters),
  ];
}

/** No index of traces is to be chosen for it: they are walked along in their order. */
function unindexed(sql: string): string {
  return sql.startsWith('c.') ? sql : `+${sql}`;
}

function amountCondition(amount: TraceAmount, { least = 0, most }: AmountRange): Condition {
  const column = amountColumn(amount);
  return most === undefined ? [`${column} >= ?`, least] : [`${column} BETWEEN ? AND ?`, least, most];
}

function amountsWalked({ amounts = {} }: TraceFilter, sort: TraceSort): Condition[] {
  const range = sort === 'time' ? undefined : amounts[sort];
  return sort === 'time' || range === undefined ? [] : [amountCondition(sort, range)];
}

function amountsTested(accountId: string, { amounts = {} }: TraceFilter, sort: TraceSort): TestedCondition[] {
  return TRACE_AMOUNTS.flatMap((amount): TestedCondition[] => {
    const range = amounts[amount];
    if (range === undefined || amount === sort) return [];
    const [sql, ...bounds] = amountCondition(amount, range);
    return [
      {
        test: [unindexed(sql), ...bounds],
        candidates: [
          `SELECT t.trace_id FROM traces t WHERE t.account_id = ? AND ${sql}`,
          accountId,
          ...bounds,
        ],
      },
    ];
  });
}

const HAS_FACET = `EXISTS (SELECT 1 FROM trace_facets f
  WHERE f.account_id = t.account_id AND f.facet = ? AND f.trace_id = t.trace_id)`;

/** Each facet finds traces; that one span has all of them is seen at its row. */
function spanConditions(accountId: string, key: string | undefined, span: SpanFilter): TestedCondition[] {
  const { name, type, model } = span;
  const columns = Object.entries({ name, type, model, trace_function_key: key }).filter(
    (column): column is [string, string] => column[1] !== undefined,
  );
  const isSpan: Condition = [
    `EXISTS (SELECT 1 FROM spans s WHERE s.account_id = t.account_id AND s.trace_id = t.trace_id
      AND ${columns.map(([column]) => `s.${column} = ?`).join(' AND ')})`,
    ...columns.map(([, value]) => value),
  ];
  return facetsOf(span).map((facet, index, all) => ({
    test: index === all.length - 1 ? allOf([[HAS_FACET, facet], isSpan]) : [HAS_FACET, facet],
    candidates: ['SELECT trace_id FROM trace_facets WHERE account_id = ? AND facet = ?', accountId, facet],
  }));
}

/** As a trigger writes the facets of metadata. */
const METADATA_FACETS = `SELECT trace_id FROM trace_facets WHERE account_id = ? AND facet IN (
  SELECT 'metadata:' || (n.value ->> 0) || '=' || substr(json_quote(v.value ->> 0), 1, 100)
  FROM json_each(?) n, json_each(?) v)`;

function metadataCondition(accountId: string, { path, values }: MetadataFilter): TestedCondition {
  const readings = readingsOf(path);
  const firsts = [...new Set(readings.map(([first]) => first))];
  const wanted = JSON.stringify(values.map((value) => JSON.stringify(value)));
  const tests = readings.map(([first, ...rest]): Condition => {
    const member = `$${rest.map((name) => `."${name}"`).join('')}`;
    return ['(a.key = ? AND a.value -> ? IN (SELECT value FROM json_each(?)))', first, member, wanted];
  });
  const isThere = tests.map(([sql]) => sql).join(' OR ');
  return {
    test: [
      `EXISTS (SELECT 1 FROM trace_attributes a
        WHERE a.account_id = t.account_id AND a.trace_id = t.trace_id AND a.kind = 'metadata' AND (${isThere}))`,
      ...tests.flatMap(([, ...parameters]) => parameters),
    ],
    candidates: [
      METADATA_FACETS,
      ...[
        accountId,
        JSON.stringify(firsts.map((first) => [first])),
        JSON.stringify(values.map((value) => [value])),
      ],
    ],
  };
}
