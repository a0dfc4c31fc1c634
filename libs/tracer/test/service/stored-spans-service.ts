import type { RecordedCall, RecordedDescendant, SpanRecord, TestRunItemReport } from '@dacapo/protocol';
import { type LoopbackService, startLoopbackService } from './loopback-service.js';

/** A service on loopback that holds recorded spans, as they are when it is asked, and takes test runs. */
export interface StoredSpansService extends Pick<LoopbackService, 'url' | 'calls' | 'close'> {
  /** What replays reported, in order. */
  readonly reports: readonly TestRunItemReport[];
}

export async function startStoredSpansService(
  spans: readonly SpanRecord[],
  pageSize = 200,
): Promise<StoredSpansService> {
  const reports: TestRunItemReport[] = [];
  const service = await startLoopbackService(({ path, body }) => {
    const url = new URL(path, 'http://service');
    const below = /^\/api\/v1\/traces\/([^/]+)\/spans\/([^/]+)\/descendants$/.exec(url.pathname);
    if (below !== null) {
      const from = Number(url.searchParams.get('cursor') ?? 0);
      const calls = descendantsOf(spans, below[2] ?? '');
      const end = from + pageSize;
      return {
        body: {
          items: calls.slice(from, end),
          ...(end < calls.length && { next_cursor: String(end) }),
        },
      };
    }
    if (path === '/api/v1/calls/search') {
      const { trace_function_key: key, trace_ids: ids } = body as {
        trace_function_key: string;
        trace_ids?: string[];
      };
      const chosen = spans.filter(
        (span) =>
          span.trace_function_key === key &&
          span.parent_id === undefined &&
          (ids?.includes(span.trace_id) ?? true),
      );
      return { body: { items: chosen.map(callOf) } };
    }
    if (path.endsWith('/items')) reports.push(...(body as { items: TestRunItemReport[] }).items);
    return { status: 201, body: { id: 'run-1', url: 'http://desk/test-runs/run-1' } };
  });
  return { url: service.url, calls: service.calls, close: () => service.close(), reports };
}

function descendantsOf(spans: readonly SpanRecord[], rootId: string): RecordedDescendant[] {
  const children = spans.filter((span) => span.parent_id === rootId);
  const below = children.flatMap((child) => [
    { ...callOf(child), parent_id: rootId, trace_function_key: child.trace_function_key },
    ...descendantsOf(spans, child.id),
  ]);
  return below.sort((a, b) => a.started_at.localeCompare(b.started_at));
}

function callOf({ span_data: { input, output, error, meta }, ...span }: SpanRecord): RecordedCall {
  return {
    ...span,
    span_id: span.id,
    ...(input && { input }),
    ...(output !== undefined && { output }),
    ...(error && { error }),
    ...(meta && { meta }),
  };
}
