import { isTimeSort, TRACE_AMOUNTS, TRACE_LABELS, type TraceSort } from '@dacapo/protocol';
import {
  type MetadataFilter,
  listPathReadings,
  SPAN_FIELDS,
  type SpanFilter,
  type TraceFilter,
} from '../../../ports/trace-filter.js';
import { toFacets } from './facet-steps.js';
import { isScored, scoredBy } from './scores.js';
import {
  joinConditions,
  type Condition,
  walkConditions,
  selectTraceIds,
  type Walk,
  walkByAmount,
  walkByTime,
} from './trace-walk.js';

/** A condition that a list tests on each trace of its walk. */
export interface TestedCondition {
  test: Condition;
  /** The table that the test reads. Absent: the trace's id is enough. */
  reads?: Walk['table'];
  /** Finds the ids of all candidates along one index, so that reading a few of them is cheap. */
  candidates?: Condition;
}

/** The walk of a list, and the conditions to test on it. A text is searched separately. */
export function traceConditions(
  accountId: string,
  filter: TraceFilter,
  sort: TraceSort,
): { walk: Walk; tested: TestedCondition[] } {
  const {
    traceFunctionKey: key,
    testRunId,
    status,
    span,
    amounts = {},
    score,
    tags = [],
    except_tags: without = [],
  } = filter;
  const { walk: timeWalk, decided } = walkByTime(accountId, filter);
  const walk = !isTimeSort(sort)
    ? walkByAmount(accountId, sort, amounts[sort])
    : sort === 'oldest'
      ? { ...timeWalk, isOldestFirst: true }
      : timeWalk;
  const id = `${walk.table}.trace_id`;
  return {
    walk,
    tested: [
      ...(isTimeSort(sort) || walkConditions(timeWalk).length === 1 ? [] : [testedAlong(timeWalk)]),
      ...(filter.withoutReplays === true && !decided.replays
        ? [{ test: ['t.test_run_id IS NULL'], reads: 't' } satisfies TestedCondition]
        : []),
      ...(filter.withRecording === true && key !== undefined
        ? [{ test: ['c.is_recording = 1'], reads: 'c' } satisfies TestedCondition]
        : []),
      ...(filter.traceIds === undefined ? [] : [namedCondition(id, filter.traceIds)]),
      ...TRACE_LABELS.flatMap((name) =>
        filter[name] === undefined || decided.label === name
          ? []
          : [testedAlong(walkByTime(accountId, { [name]: filter[name] }).walk)],
      ),
      ...tags.map((tag) => facetCondition(accountId, id, `tag:${tag}`)),
      ...without.map((tag): TestedCondition => ({ test: hasNoFacet(accountId, id, `tag:${tag}`) })),
      ...(testRunId === undefined || decided.testRun
        ? []
        : [testedAlong(walkByTime(accountId, { testRunId }).walk)]),
      ...(status === undefined || decided.status
        ? []
        : status === 'ok'
          ? [{ test: [`${timeWalk.table}.outcome = 'ok'`], reads: timeWalk.table } satisfies TestedCondition]
          : [testedAlong(walkByTime(accountId, { status }).walk)]),
      ...(span === undefined ? [] : spanConditions(accountId, id, key, span)),
      ...TRACE_AMOUNTS.flatMap((amount) =>
        amounts[amount] === undefined || amount === sort
          ? []
          : [testedAlong(walkByAmount(accountId, amount, amounts[amount]))],
      ),
      ...(filter.metadata ?? []).map((wanted) => metadataCondition(accountId, id, wanted)),
      ...(score === undefined
        ? []
        : [
            {
              test: isScored(id, accountId, 'trace', score),
              candidates: scoredBy('target_id AS trace_id', accountId, 'trace', score),
            },
          ]),
    ],
  };
}

function namedCondition(id: string, traceIds: readonly string[]): TestedCondition {
  const named = JSON.stringify(traceIds);
  return {
    test: [`${id} IN (SELECT value FROM json_each(?))`, named],
    candidates: ['SELECT value AS trace_id FROM json_each(?)', named],
  };
}

/** Turns another walk into a condition to test on each trace, which also finds candidates. */
function testedAlong(walk: Walk): TestedCondition {
  return { test: joinConditions(walkConditions(walk)), reads: walk.table, candidates: selectTraceIds(walk) };
}

function hasFacet(accountId: string, id: string, facet: string): Condition {
  return [
    `EXISTS (SELECT 1 FROM trace_facets f WHERE f.account_id = ? AND f.facet = ? AND f.trace_id = ${id})`,
    accountId,
    facet,
  ];
}

function hasNoFacet(accountId: string, id: string, facet: string): Condition {
  const [sql, ...parameters] = hasFacet(accountId, id, facet);
  return [`NOT ${sql}`, ...parameters];
}

export function facetCondition(accountId: string, id: string, facet: string): TestedCondition {
  return {
    test: hasFacet(accountId, id, facet),
    candidates: ['SELECT trace_id FROM trace_facets WHERE account_id = ? AND facet = ?', accountId, facet],
  };
}

/** The conditions of a span `s`, except its text. */
export function spanColumns(key: string | undefined, filter: SpanFilter = {}): Condition[] {
  return [
    ...SPAN_FIELDS.flatMap((column): Condition[] =>
      filter[column] === undefined ? [] : [[`s.${column} = ?`, filter[column]]],
    ),
    ...(key === undefined ? [] : [['s.trace_function_key = ?', key] satisfies Condition]),
  ];
}

/** Each facet finds traces. The row of a span, or the search for its text, decides whether one span has all of them. */
export function spanConditions(
  accountId: string,
  id: string,
  key: string | undefined,
  span: SpanFilter,
): TestedCondition[] {
  const facets = toFacets(span).map((facet) => facetCondition(accountId, id, facet));
  if (span.text !== undefined && span.text.length > 0) return facets;
  const [isSpan, ...parameters] = joinConditions([
    [`s.account_id = ? AND s.trace_id = ${id}`, accountId],
    ...spanColumns(key, span),
  ]);
  return [...facets, { test: [`EXISTS (SELECT 1 FROM spans s WHERE ${isSpan})`, ...parameters] }];
}

/** Matches the facets of metadata that a trigger writes. */
const HAS_METADATA_FACET = `account_id = ? AND facet IN (
  SELECT 'metadata:' || (n.value ->> 0) || '=' || substr(json_quote(v.value ->> 0), 1, 100)
  FROM json_each(?) n, json_each(?) v)`;

function metadataCondition(accountId: string, id: string, { path, values }: MetadataFilter): TestedCondition {
  const readings = listPathReadings(path);
  const firsts = [...new Set(readings.map(([first]) => first))];
  const wanted = JSON.stringify(values.map((value) => JSON.stringify(value)));
  const tests = readings.map(([first, ...rest]): Condition => {
    const member = `$${rest.map((name) => `."${name}"`).join('')}`;
    return ['(a.key = ? AND a.value -> ? IN (SELECT value FROM json_each(?)))', first, member, wanted];
  });
  const facets = [
    accountId,
    JSON.stringify(firsts.map((first) => [first])),
    JSON.stringify(values.map((value) => [value])),
  ];
  const isThere = tests.map(([sql]) => sql).join(' OR ');
  return {
    test: [
      // Entries are fetched from their table after the index, so only traces with the facet are tested.
      `EXISTS (SELECT 1 FROM trace_facets WHERE ${HAS_METADATA_FACET} AND trace_id = ${id})
        AND EXISTS (SELECT 1 FROM trace_attributes a
        WHERE a.account_id = ? AND a.trace_id = ${id} AND a.kind = 'metadata' AND (${isThere}))`,
      ...facets,
      accountId,
      ...tests.flatMap(([, ...parameters]) => parameters),
    ],
    candidates: [`SELECT trace_id FROM trace_facets WHERE ${HAS_METADATA_FACET}`, ...facets],
  };
}
