import {
  previewError,
  findRoot,
  joinRecords,
  previewJson,
  type SpanCost,
  summarizeSpanUsage,
  type StoredSpan,
  sumTraceUsage,
} from '@dacapo/collector/storage';
import {
  type FirstCall,
  formatTimestamp,
  pickLabels,
  parseTimestamp,
  type SessionSummary,
  type SpanRecord,
  type SpanSummary,
  TRACE_LABELS,
  type TraceFact,
  type TraceFunctionKeySummary,
  TraceFacts,
  type TraceRecord,
  type TraceSummary,
} from '@dacapo/protocol';

/** A record as it came, and what it says of its trace. They are kept in that order and never changed. */
export interface Arrived {
  receivedAt: string;
  arrivedUs: number;
  traceId: string;
  facts: TraceFact[];
  /** Absent: it is a patch. */
  span?: StoredSpan;
}

/** What the records of one trace say together. */
export interface View {
  id: string;
  /** In the order in which they started. */
  spans: StoredSpan[];
  record: TraceRecord;
  facts: TraceFact[];
  receivedAt: string;
}

/** With six decimals, so that times sort as texts. */
export function normalTime(time: string): string {
  return formatTimestamp(parseTimestamp(time) ?? 0);
}

/** The span alone: what it says of its trace is kept apart. */
export function normalized(record: SpanRecord, cost: SpanCost | undefined): StoredSpan {
  const span = { ...record };
  for (const label of TRACE_LABELS) Reflect.deleteProperty(span, label);
  delete span.tags;
  delete span.trace_metadata;
  delete span.trace_contexts;
  return {
    ...span,
    started_at: normalTime(span.started_at),
    ...(span.ended_at !== undefined && { ended_at: normalTime(span.ended_at) }),
    ...(cost !== undefined && { cost }),
  };
}

/** Of each span, and of each trace's patches, what came first. */
export function firstOfEach(records: readonly Arrived[]): Arrived[] {
  const known = new Set<string>();
  return records.filter(({ traceId, span }) => {
    const id = `${traceId}/${span?.id ?? ''}`;
    return !known.has(id) && known.add(id);
  });
}

export function toViews(records: readonly Arrived[], traceIds?: ReadonlySet<string>): View[] {
  const traces = new Map<string, Arrived[]>();
  for (const record of records) {
    const { traceId: id } = record;
    if (traceIds !== undefined && !traceIds.has(id)) continue;
    const trace = traces.get(id);
    if (trace === undefined) traces.set(id, [record]);
    else trace.push(record);
  }
  return Array.from(traces, ([id, own]) => toView(id, own));
}

function toView(id: string, records: readonly Arrived[]): View {
  const bySpan = new Map<string, StoredSpan[]>();
  const known = new TraceFacts();
  for (const { span, facts } of records) {
    if (span !== undefined) bySpan.set(span.id, [...(bySpan.get(span.id) ?? []), span]);
    known.add(facts);
  }
  const spans = [...bySpan.values()].flatMap((parts) => joinRecords(parts) ?? []);
  return {
    id,
    spans: spans.sort((left, right) => compare(left.started_at, right.started_at)),
    record: known.toRecord(id),
    facts: known.values(),
    receivedAt: records[0]?.receivedAt ?? '',
  };
}

export function findViewRoot({ spans }: View): StoredSpan | undefined {
  return findRoot(spans, ({ parent_id, started_at, id }) => [parent_id !== undefined, started_at, id]);
}

export function toSummary(view: View): TraceSummary {
  const root = findViewRoot(view);
  const usage = sumTraceUsage(view.spans.map(toSpanSummary));
  const testRunId = view.spans.find((span) => span.test_run_id !== undefined)?.test_run_id;
  const {
    input_tokens: input,
    output_tokens: output,
    cost_usd,
  } = sumTraceUsage(view.spans.map(toSpanSummary)) ?? {};
  return {
    id: view.id,
    ...pickLabels(view.record),
    ...(view.record.tags !== undefined && { tags: view.record.tags }),
    trace_function_key: root?.trace_function_key ?? '',
    name: root?.name ?? '',
    type: root?.type ?? 'custom',
    status: root?.status ?? 'unfinished',
    started_at: root?.started_at ?? view.receivedAt,
    ...(root?.ended_at !== undefined && { ended_at: root.ended_at }),
    ...(root?.duration_ms !== undefined && { duration_ms: root.duration_ms }),
    span_count: view.spans.length,
    error_count: view.spans.filter(({ status }) => status === 'error').length,
    ...((input ?? output) !== undefined && { tokens: (input ?? 0) + (output ?? 0) }),
    ...(cost_usd !== undefined && { cost_usd }),
    ...(root && toPreviews(root)),
    ...(testRunId !== undefined && { test_run_id: testRunId }),
    ...(usage !== undefined && { usage }),
  };
}

/** Of what the application did: replays do not count. */
export function toSessions(views: readonly View[]): SessionSummary[] {
  const sessions = new Map<string, SessionSummary>();
  for (const view of views) {
    const { session_id, test_run_id, started_at } = toSummary(view);
    if (session_id === undefined || test_run_id !== undefined) continue;
    const known = sessions.get(session_id);
    const times = [started_at, known?.first_started_at, known?.last_started_at].filter(
      (at) => at !== undefined,
    );
    sessions.set(session_id, {
      session_id,
      trace_count: (known?.trace_count ?? 0) + 1,
      first_started_at: times.reduce((first, at) => (at < first ? at : first)),
      last_started_at: times.reduce((last, at) => (at > last ? at : last)),
    });
  }
  return [...sessions.values()];
}

export function toKeySummaries(views: readonly View[]): TraceFunctionKeySummary[] {
  const keys = new Map<string, TraceFunctionKeySummary>();
  for (const { trace_function_key, started_at } of views.flatMap(({ spans }) => spans)) {
    const { span_count = 0, last_started_at = '' } = keys.get(trace_function_key) ?? {};
    keys.set(trace_function_key, {
      trace_function_key,
      span_count: span_count + 1,
      last_started_at: started_at > last_started_at ? started_at : last_started_at,
    });
  }
  return [...keys.values()];
}

export function toPreviews({
  span_data: { input, output, error },
}: SpanRecord): Pick<FirstCall, 'input_preview' | 'output_preview' | 'error_preview'> {
  const [inputPreview, outputPreview] = [input, output].map((json) => previewJson(JSON.stringify(json)));
  const errorPreview = previewError(error);
  return {
    ...(inputPreview !== undefined && { input_preview: inputPreview }),
    ...(outputPreview !== undefined && { output_preview: outputPreview }),
    ...(errorPreview !== undefined && { error_preview: errorPreview }),
  };
}

export function toSpanSummary(span: StoredSpan): SpanSummary {
  const { id, parent_id, trace_function_key, name, type, kind, level } = span;
  const { status, started_at, ended_at, duration_ms } = span;
  const errorPreview = previewError(span.span_data.error);
  const usage = summarizeSpanUsage(span);
  return {
    id,
    ...(parent_id !== undefined && { parent_id }),
    trace_function_key,
    name,
    type,
    ...(kind !== undefined && { kind }),
    ...(level !== undefined && { level }),
    status,
    started_at,
    ...(ended_at !== undefined && { ended_at }),
    ...(duration_ms !== undefined && { duration_ms }),
    ...(errorPreview !== undefined && { error_preview: errorPreview }),
    ...(span.source_span_id !== undefined && span.span_data.meta?.mocked && { mocked: true }),
    ...(usage !== undefined && { usage }),
  };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
