import type {
  CaptureMeta,
  SpanData,
  SpanDetail,
  SpanSummary,
  TestRunItemRecord,
  TestRunItemSummary,
  TestRunRecord,
  TraceDetail,
} from '@dacapo/protocol';

/** Whether recorded values are shown. */
interface Shown {
  payloads: boolean;
}

/**
 * What share links show of records. They list what is shown, so that a new field is not: no ids of other traces, runs, sessions and
 * users, and no scores, whose authors are people.
 */
const SPAN = [
  'id',
  'parent_id',
  'trace_function_key',
  'name',
  'type',
  'kind',
  'level',
  'status',
  'started_at',
  'ended_at',
  'duration_ms',
  'mocked',
  'usage',
] as const satisfies (keyof SpanSummary)[];

const TRACE = [
  'id',
  'trace_function_key',
  'name',
  'type',
  'status',
  'started_at',
  'ended_at',
  'duration_ms',
  'span_count',
  'error_count',
  'tokens',
  'cost_usd',
  'usage',
  'environment',
  'release',
  'next_cursor',
] as const satisfies (keyof TraceDetail)[];

const TRACE_VALUES = [
  'tags',
  'input_preview',
  'output_preview',
  'error_preview',
] as const satisfies (keyof TraceDetail)[];

const SPAN_DETAIL = [
  'id',
  'trace_id',
  'parent_id',
  'trace_function_key',
  'name',
  'type',
  'kind',
  'level',
  'status',
  'started_at',
  'ended_at',
  'duration_ms',
  'cost_usd',
  'price_version',
] as const satisfies (keyof SpanDetail)[];

const SPAN_DATA = [
  'input',
  'output',
  'error',
  'prompt',
  'contexts',
  'usage',
] as const satisfies (keyof SpanData)[];

/** Notes on values. Others name spans of other traces, or are of whoever wrote them. */
const META = [
  'input',
  'output',
  'contexts',
  'prompt',
  'prompt_format',
  'stream',
  'replayable',
  'rebuildable',
  'sync',
  'answered',
  'mocked',
  'class',
  'source',
] as const satisfies (keyof CaptureMeta)[];

const RUN = [
  'id',
  'trace_function_key',
  'name',
  'status',
  'created_at',
  'heartbeat_at',
  'finished_at',
  'totals',
  'repeat',
  'passed',
  'undecided',
  'expected_items',
] as const satisfies (keyof TestRunRecord)[];

const ITEM = [
  'item_no',
  'repetition',
  'verdict',
  'fixed',
  'failing_as_before',
  'new_error',
  'accepted',
  'ignored',
  'erased',
  'duration_ms',
  'original_duration_ms',
  'timing',
  'usage',
  'original_usage',
  'model_calls',
  'original_model_calls',
] as const satisfies (keyof TestRunItemSummary & keyof TestRunItemRecord)[];

const SUMMARY_VALUES = [
  'name',
  'input_preview',
  'error_preview',
] as const satisfies (keyof TestRunItemSummary)[];

const ITEM_VALUES = [
  'name',
  'input',
  'result',
  'error',
  'error_of',
  'original_output',
  'original_error',
  'original_status',
] as const satisfies (keyof TestRunItemRecord)[];

export function showTrace(trace: TraceDetail, { payloads }: Shown): TraceDetail {
  const spans = trace.spans.map((span) => pick(span, payloads ? [...SPAN, 'error_preview'] : SPAN));
  return {
    ...pick(trace, TRACE),
    ...(payloads && pick(trace, TRACE_VALUES)),
    metadata: payloads ? trace.metadata : {},
    contexts: payloads ? trace.contexts : {},
    spans,
  };
}

export function showSpan(span: SpanDetail): SpanDetail {
  const { meta } = span.span_data;
  return {
    ...pick(span, SPAN_DETAIL),
    span_data: { ...pick(span.span_data, SPAN_DATA), ...(meta && { meta: pick(meta, META) }) },
  };
}

export function showRun(run: TestRunRecord, { payloads }: Shown): TestRunRecord {
  return { ...pick(run, RUN), ...(payloads && pick(run, ['summary'])), url: '' };
}

export function showItemSummary(item: TestRunItemSummary, { payloads }: Shown): TestRunItemSummary {
  return { ...pick(item, ITEM), ...(payloads && pick(item, SUMMARY_VALUES)) };
}

export function showItem(item: TestRunItemRecord): TestRunItemRecord {
  const { meta, original_meta: originalMeta } = item;
  return {
    ...pick(item, ITEM),
    ...pick(item, ITEM_VALUES),
    ...(meta && { meta: pick(meta, META) }),
    ...(originalMeta && { original_meta: pick(originalMeta, META) }),
  };
}

function pick<T extends object, K extends keyof T>(record: T, names: readonly K[]): Pick<T, K> {
  const present = names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]);
  return Object.fromEntries(present) as Pick<T, K>;
}
