import {
  computeContribution,
  type MetricSpan,
  type MetricsFilter,
  type MetricsQuery,
  type MetricsRow,
  MetricsRows,
  summarizeSpanUsage,
  floorToPeriod,
  type StoredSpan,
} from '@dacapo/collector/storage';
import { countedSpans } from '@dacapo/evaluation';
import { type MetricsGroup, parseTimestamp } from '@dacapo/protocol';
import { isListed } from './is-listed.js';
import { findViewRoot, toSummary, type View } from './trace-view.js';

function usedBy(span: StoredSpan): Pick<MetricSpan, 'inputTokens' | 'outputTokens' | 'costUsd'> {
  const {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd,
  } = summarizeSpanUsage(span) ?? {};
  return { inputTokens, outputTokens, costUsd };
}

/** Counts all spans anew. */
export function computeMetrics(views: readonly View[], query: MetricsQuery): MetricsRow[] {
  const { sinceUs, untilUs, traceFunctionKey: wanted, traceFunctionKeys, hours, replays } = query;
  const isWanted = (key: string): boolean =>
    traceFunctionKeys?.includes(key) ?? (wanted === undefined ? key !== '' : key === wanted);
  const { where, ...rest } = query;
  if (where !== undefined) {
    const matching = startedIn(views, query).filter((view) => matches(view, where));
    if (rest.groupBy === undefined)
      return computeMetrics(matching, { ...rest, sinceUs: -Infinity, untilUs: Infinity });
    return computeMetrics(matching, rest);
  }
  if (query.groupBy !== undefined) return computeGroupedMetrics(views, { ...query, groupBy: query.groupBy });
  const rows = new MetricsRows();
  for (const { spans } of views) {
    const contribution = computeContribution(
      spans.map((span) => ({
        ...usedBy(span),
        spanId: span.id,
        parentId: span.parent_id,
        traceFunctionKey: span.trace_function_key,
        type: span.type,
        status: span.status,
        isReplay: span.test_run_id !== undefined,
        startedUs: parseTimestamp(span.started_at) ?? 0,
        durationMs: span.duration_ms,
      })),
    );
    for (const { traceFunctionKey: key, isReplay, hourUs, tally } of contribution) {
      const isMatch =
        isWanted(key) &&
        (replays === 'include' || isReplay === (replays === 'only')) &&
        hourUs >= sinceUs &&
        hourUs < untilUs;
      if (isMatch) rows.at(key, hours === undefined ? undefined : floorToPeriod(hourUs, hours)).add(tally);
    }
  }
  return rows.all();
}

function matches(view: View, where: MetricsFilter): boolean {
  const trace = toSummary(view);
  return isListed(where, { trace, calls: view.spans, at: trace.started_at, metadata: {} });
}

function startedIn(views: readonly View[], { sinceUs, untilUs }: MetricsQuery): View[] {
  return views.filter((view) => {
    const startedUs = parseTimestamp(findViewRoot(view)?.started_at ?? '') ?? 0;
    return startedUs >= sinceUs && startedUs < untilUs;
  });
}

/** Of traces that started in the time, each group counted by itself. */
function computeGroupedMetrics(
  views: readonly View[],
  { groupBy, traceFunctionKey: wanted, ...query }: MetricsQuery & { groupBy: MetricsGroup },
): MetricsRow[] {
  const started = startedIn(views, query);
  const isOfSpans = groupBy === 'level' || groupBy === 'kind';
  const listValues = ({ spans, record }: View): (string | undefined)[] =>
    groupBy === 'level' || groupBy === 'kind'
      ? spans.map((span) => span[groupBy])
      : groupBy === 'tags'
        ? record.tags?.length
          ? record.tags
          : [undefined]
        : [record[groupBy]];
  const groups = new Set(started.flatMap(listValues));
  const always = { ...query, sinceUs: -Infinity, untilUs: Infinity };
  return [...groups].flatMap((group) => {
    const own = started.filter((view) => listValues(view).includes(group));
    const rows = isOfSpans
      ? computeSpanRows(
          own,
          (span) =>
            span[groupBy] === group && (wanted ?? span.trace_function_key) === span.trace_function_key,
          always,
        )
      : computeMetrics(own, { ...always, traceFunctionKey: wanted ?? '' });
    return rows.map((row) => ({ ...row, traceFunctionKey: wanted ?? '', group: group ?? null }));
  });
}

function computeSpanRows(
  views: readonly View[],
  isMatch: (span: StoredSpan) => boolean,
  query: MetricsQuery,
): MetricsRow[] {
  const rows = new MetricsRows();
  for (const { spans } of views) {
    const counted = new Set(
      countedSpans(
        spans.map((span) => ({ ...span, spanId: span.id, parentId: span.parent_id })),
        (span) => Object.values(usedBy(span)).some((amount) => amount !== undefined),
      ).map(({ id }) => id),
    );
    for (const span of spans.filter(isMatch)) {
      // A span of no model call costs nothing: as a trace of its own it is its own call.
      const alone = {
        ...span,
        ...(!counted.has(span.id) && { span_data: {}, usage: undefined }),
      } as StoredSpan;
      const [row] = computeMetrics([{ spans: [alone] } as unknown as View], {
        ...query,
        traceFunctionKey: '',
      });
      if (row !== undefined) rows.at('', row.startUs).add(row.tally);
    }
  }
  return rows.all();
}
