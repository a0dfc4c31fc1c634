import type {
  CreateTestRunRequest,
  FinishTestRunRequest,
  MediaRecord,
  RecordedCallTree,
  RecordedDescendant,
  SelectedCall,
  SpanRecord,
  TestRunItemReport,
  TestRunRecord,
  TestRunTotals,
} from '@dacapo/protocol';
import { type Answer, type LoopbackService, startLoopbackService } from './loopback-service.js';
import { traceDetail } from './trace-detail.js';

/** A service on loopback that holds recorded spans, as they are when it is asked, and takes test runs. */
export interface StoredSpansService extends Pick<LoopbackService, 'url' | 'calls' | 'aborted' | 'close'> {
  /** What replays reported, in order. */
  readonly reports: readonly TestRunItemReport[];
  readonly created: readonly CreateTestRunRequest[];
  readonly finished: readonly FinishTestRunRequest[];
}

export interface StoredSpansTraits {
  /** Calls inside another that come with it; the rest is asked for. */
  readonly descendants?: number;
  readonly pageSize?: number;
  /** Media that the spans refer to. */
  readonly media?: readonly MediaRecord[];
  /** Answers in place of the service, if it does. */
  readonly instead?: Answer;
}

/** The spans are those of `calls`, or calls that stand alone. */
export async function startStoredSpansService(
  spans: readonly SpanRecord[] | (() => readonly RecordedCallTree[]),
  { descendants = 200, pageSize = 50, media = [], instead }: StoredSpansTraits = {},
): Promise<StoredSpansService> {
  const reports: TestRunItemReport[] = [];
  const created: CreateTestRunRequest[] = [];
  const finished: FinishTestRunRequest[] = [];
  const runs: SelectedCall[][] = [];
  const listSpans = (): readonly SpanRecord[] => (typeof spans === 'function' ? [] : spans);
  const listCalls = (key: string): readonly RecordedCallTree[] =>
    typeof spans === 'function'
      ? spans()
      : spans
          .filter((span) => span.trace_function_key === key && span.parent_id === undefined)
          .map((span) => toCall(span));
  const service = await startLoopbackService((call) => {
    const answered = instead?.(call);
    if (answered !== undefined) return answered;
    const { method, path, body } = call;
    const url = new URL(path, 'http://service');
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const [, mediaId] = /^\/api\/v1\/media\/(\w+)$/.exec(url.pathname) ?? [];
    const data = media.find(({ id }) => id === mediaId)?.data;
    if (data !== undefined) return { body: Buffer.from(data, 'base64') };
    const below = /^\/api\/v1\/traces\/([^/]+)\/spans\/([^/]+)\/descendants$/.exec(url.pathname);
    if (below !== null)
      return { body: toPage(listDescendants(listSpans(), below[2] ?? ''), from, descendants) };
    const [, traceId] = /^\/api\/v1\/traces\/([^/]+)$/.exec(url.pathname) ?? [];
    if (traceId !== undefined) return { body: traceDetail(traceId) };
    if (url.pathname === '/api/v1/test-runs' && method === 'GET') return { body: { items: [] } };
    if (url.pathname === '/api/v1/test-runs') {
      const request = body as CreateTestRunRequest;
      created.push(request);
      const selected = select(listCalls(request.trace_function_key), request);
      const id = `run-${runs.push(selected)}`;
      return {
        status: 201,
        body: runRecord(id, {
          ...(request.selection && {
            selection: { request: request.selection, items: selected.length, missing: 0, skipped: {} },
          }),
        }),
      };
    }
    const [, runNo = '', what] = /^\/api\/v1\/test-runs\/run-(\d+)\/(\w+)$/.exec(url.pathname) ?? [];
    const selected = runs[Number(runNo) - 1] ?? [];
    if (what === 'calls') {
      const isLeft = ({ item_no }: SelectedCall): boolean =>
        url.searchParams.get('left') === null || !reports.some((report) => report.item_no === item_no);
      const page = toPage(selected.filter(isLeft), from, pageSize);
      return {
        body: { ...page, items: page.items.map((one) => withDescendants(one, listSpans(), descendants)) },
      };
    }
    if (what === 'items' && method === 'GET') return { body: { items: [...reports] } };
    if (what === 'items') {
      const { items } = body as { items: TestRunItemReport[] };
      reports.push(...items);
      return { body: { accepted: items.length, rejected: [] } };
    }
    if (what === 'finish') finished.push(body as FinishTestRunRequest);
    const { repeat = 1 } = created[Number(runNo) - 1] ?? {};
    const { status = 'running' as const, summary } = (what === 'finish' ? finished.at(-1) : undefined) ?? {};
    // This service counts nothing.
    if (/\/run-\d+$/.test(url.pathname)) return { body: {} };
    const { passed } = (summary ?? {}) as { passed?: boolean };
    const facts: Partial<TestRunRecord> = {
      status,
      repeat,
      ...(summary && { summary }),
      ...(passed !== undefined && { passed }),
    };
    return { body: runRecord(`run-${runNo}`, facts, { items: reports.length }) };
  });
  const { url, calls, aborted } = service;
  return { url, calls, aborted, close: () => service.close(), reports, created, finished };
}

const AT = '2026-01-31T12:00:00.000000Z';
const NONE = {
  items: 0,
  same: 0,
  changed: 0,
  unknown: 0,
  error: 0,
  new_errors: 0,
  flaky: 0,
  fixed: 0,
  failing_as_before: 0,
  accepted: 0,
  diverged: 0,
};

/** A run as a service answers it. */
export function runRecord(
  id: string,
  facts: Partial<TestRunRecord> = {},
  totals: Partial<TestRunTotals> = {},
): TestRunRecord {
  return {
    id,
    trace_function_key: 'desk',
    status: 'running',
    created_at: AT,
    heartbeat_at: AT,
    url: `http://desk/test-runs/${id}`,
    totals: { ...NONE, ...totals },
    ...facts,
  };
}

function select(
  calls: readonly RecordedCallTree[],
  { selection = {} }: CreateTestRunRequest,
): SelectedCall[] {
  const { trace_ids: ids, limit = Infinity } = selection;
  const chosen: Omit<SelectedCall, 'item_no'>[] =
    ids === undefined
      ? calls.map((call) => ({ trace_id: call.trace_id, call }))
      : ids.map((id) => {
          const call = calls.find(({ trace_id }) => trace_id === id);
          return { trace_id: id, ...(call && { call }) };
        });
  return chosen.slice(0, limit).map((one, item_no) => ({ item_no, ...one }));
}

function withDescendants(selected: SelectedCall, spans: readonly SpanRecord[], most: number): SelectedCall {
  if (selected.call === undefined) return selected;
  const all = listDescendants(spans, selected.call.span_id);
  const { items, next_cursor } = toPage(all, 0, most);
  return {
    ...selected,
    call: {
      ...selected.call,
      descendants: items,
      ...(next_cursor !== undefined && { descendants_cursor: next_cursor }),
    },
  };
}

function toPage<T>(all: readonly T[], from: number, size: number): { items: T[]; next_cursor?: string } {
  const end = from + size;
  return { items: all.slice(from, end), ...(end < all.length && { next_cursor: String(end) }) };
}

function listDescendants(spans: readonly SpanRecord[], rootId: string): RecordedDescendant[] {
  const children = spans.filter((span) => span.parent_id === rootId);
  const below = children.flatMap((child) => [
    { ...toCall(child), parent_id: rootId, trace_function_key: child.trace_function_key },
    ...listDescendants(spans, child.id),
  ]);
  return below.sort((a, b) => a.started_at.localeCompare(b.started_at));
}

function toCall({ span_data: { input, output, error, usage, meta }, ...span }: SpanRecord): RecordedCallTree {
  return {
    ...span,
    span_id: span.id,
    ...(input && { input }),
    ...(output !== undefined && { output }),
    ...(error && { error }),
    ...(usage && { usage }),
    ...(meta && { meta }),
  };
}
