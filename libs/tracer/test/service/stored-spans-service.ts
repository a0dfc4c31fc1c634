import type {
  CreateTestRunRequest,
  FinishTestRunRequest,
  RecordedCallTree,
  RecordedDescendant,
  SelectedCall,
  SpanRecord,
  TestRunItemReport,
} from '@dacapo/protocol';
import { type Answer, type LoopbackService, startLoopbackService } from './loopback-service.js';

/** A service on loopback that holds recorded spans, as they are when it is asked, and takes test runs. */
export interface StoredSpansService extends Pick<LoopbackService, 'url' | 'calls' | 'close'> {
  /** What replays reported, in order. */
  readonly reports: readonly TestRunItemReport[];
  readonly created: readonly CreateTestRunRequest[];
  readonly finished: readonly FinishTestRunRequest[];
}

export interface StoredSpansTraits {
  /** Calls inside another that come with it; the rest is asked for. */
  readonly descendants?: number;
  readonly pageSize?: number;
  /** Answers in place of the service, if it does. */
  readonly instead?: Answer;
}

/** The spans are those of `calls`, or calls that stand alone. */
export async function startStoredSpansService(
  spans: readonly SpanRecord[] | (() => readonly RecordedCallTree[]),
  { descendants = 200, pageSize = 50, instead }: StoredSpansTraits = {},
): Promise<StoredSpansService> {
  const reports: TestRunItemReport[] = [];
  const created: CreateTestRunRequest[] = [];
  const finished: FinishTestRunRequest[] = [];
  const runs: SelectedCall[][] = [];
  const spansOf = (): readonly SpanRecord[] => (typeof spans === 'function' ? [] : spans);
  const callsOf = (key: string): readonly RecordedCallTree[] =>
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
    const below = /^\/api\/v1\/traces\/([^/]+)\/spans\/([^/]+)\/descendants$/.exec(url.pathname);
    if (below !== null) return { body: pageOf(descendantsOf(spansOf(), below[2] ?? ''), from, descendants) };
    if (url.pathname === '/api/v1/test-runs' && method === 'GET') return { body: { items: [] } };
    if (url.pathname === '/api/v1/test-runs') {
      const request = body as CreateTestRunRequest;
      created.push(request);
      const selected = select(callsOf(request.trace_function_key), request);
      const id = `run-${runs.push(selected)}`;
      return {
        status: 201,
        body: {
          id,
          url: `http://desk/test-runs/${id}`,
          totals: { items: 0 },
          ...(request.selection && { selection: { items: selected.length, missing: 0, skipped: {} } }),
        },
      };
    }
    const [, runNo = '', what] = /^\/api\/v1\/test-runs\/run-(\d+)\/(\w+)$/.exec(url.pathname) ?? [];
    const selected = runs[Number(runNo) - 1] ?? [];
    if (what === 'calls') {
      const isLeft = ({ item_no }: SelectedCall): boolean =>
        url.searchParams.get('left') === null || !reports.some((report) => report.item_no === item_no);
      const page = pageOf(selected.filter(isLeft), from, pageSize);
      return {
        body: { ...page, items: page.items.map((one) => withDescendants(one, spansOf(), descendants)) },
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
    const told = what === 'finish' ? finished.at(-1)?.summary : undefined;
    const facts = {
      ...{
        status: what === 'finish' ? (body as FinishTestRunRequest).status : 'running',
        totals: { items: reports.length },
        repeat,
      },
      ...(told && { summary: told, passed: told['passed'] }),
    };
    return { body: { id: `run-${runNo}`, url: `http://desk/test-runs/run-${runNo}`, ...facts } };
  });
  const { url, calls } = service;
  return { url, calls, close: () => service.close(), reports, created, finished };
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
  const all = descendantsOf(spans, selected.call.span_id);
  const { items, next_cursor } = pageOf(all, 0, most);
  return {
    ...selected,
    call: {
      ...selected.call,
      descendants: items,
      ...(next_cursor !== undefined && { descendants_cursor: next_cursor }),
    },
  };
}

function pageOf<T>(all: readonly T[], from: number, size: number): { items: T[]; next_cursor?: string } {
  const end = from + size;
  return { items: all.slice(from, end), ...(end < all.length && { next_cursor: String(end) }) };
}

function descendantsOf(spans: readonly SpanRecord[], rootId: string): RecordedDescendant[] {
  const children = spans.filter((span) => span.parent_id === rootId);
  const below = children.flatMap((child) => [
    { ...toCall(child), parent_id: rootId, trace_function_key: child.trace_function_key },
    ...descendantsOf(spans, child.id),
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
