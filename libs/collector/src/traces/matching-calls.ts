import type { FirstCall, Snippet } from '@dacapo/protocol';
import type { ListedTrace, MatchingSpan, SpanCondition, SpanStore } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import { findSnippet } from '../storage/rules/snippet.js';
import type { TextQuery } from '../storage/rules/text-query.js';
import { groupBy } from '../storage/spans/group-rows.js';
import { chooseMatch } from './choose-match.js';

/** Spans of the traces of a page that are looked through for the matching one; the traces after them show their root. */
const MOST_SPANS = 250_000;

/** Payload bytes that are read for the snippets of a page. */
const SNIPPET_BYTES = 8 * 1024 * 1024;

/** What NestJS requests are recorded with: of every one the same, but for the path. */
const REQUEST_INPUT = /^\[\{"method":"[A-Z-]+","path":"/;

/**
 * By trace id, the call that tells one trace from the next: the first that matches what is asked of calls; where nothing is, of a
 * request, the first inside it. Traces whose root is that call have none, unless a text is searched.
 */
export async function findMatchingCalls(
  store: SpanStore,
  accountId: string,
  traces: readonly ListedTrace[],
  { traceFunctionKey, status, span }: TraceFilter,
): Promise<ReadonlyMap<string, FirstCall>> {
  const asksForCalls = traceFunctionKey !== undefined || span !== undefined || (status ?? 'ok') !== 'ok';
  const looked = withinSpans(
    traces.filter(({ trace, rootSpanId }) => {
      if (!asksForCalls) return rootSpanId !== undefined && REQUEST_INPUT.test(trace.input_preview ?? '');
      const isRoot =
        trace.trace_function_key === (traceFunctionKey ?? trace.trace_function_key) &&
        trace.status === (status ?? trace.status);
      return span !== undefined || status === 'error' || !isRoot;
    }),
  );
  if (looked.length === 0) return new Map();
  const condition: SpanCondition = asksForCalls
    ? {
        ...(traceFunctionKey !== undefined && { traceFunctionKey }),
        ...(span && { span }),
        ...(status !== undefined && { preferredStatus: status }),
      }
    : { parentIds: looked.flatMap(({ rootSpanId }) => rootSpanId ?? []) };
  const traceIds = looked.map(({ trace }) => trace.id);
  const spans = await store.findMatchingSpans(accountId, traceIds, condition);
  const matching = groupBy(spans, ({ trace_id }) => trace_id);
  const isSearch = span?.text !== undefined;
  const chosen = looked.flatMap(({ trace, rootSpanId }) => {
    const call = chooseMatch(matching.get(trace.id) ?? [], status);
    return call === undefined || (call.span_id === rootSpanId && !isSearch) ? [] : [call];
  });
  const snippets = await readSnippets(store, accountId, chosen, span?.text);
  return new Map(chosen.map((call) => [call.trace_id, toFirstCall(call, snippets.get(call.trace_id))]));
}

function toFirstCall(
  { span_id: id, trace_function_key, name, type, status, ...span }: MatchingSpan,
  snippet: Snippet | undefined,
): FirstCall {
  const { input_preview, output_preview, error_preview } = span;
  return {
    id,
    trace_function_key,
    name,
    type,
    status,
    ...(input_preview !== undefined && { input_preview }),
    ...(output_preview !== undefined && { output_preview }),
    ...(error_preview !== undefined && { error_preview }),
    ...(snippet !== undefined && { snippet }),
  };
}

function withinSpans(traces: readonly ListedTrace[]): readonly ListedTrace[] {
  let spans = 0;
  return traces.filter(({ trace }, index) => {
    spans += trace.span_count;
    return index === 0 || spans <= MOST_SPANS;
  });
}

/** By trace id. */
async function readSnippets(
  store: SpanStore,
  accountId: string,
  calls: readonly MatchingSpan[],
  query: TextQuery | undefined,
): Promise<ReadonlyMap<string, Snippet | undefined>> {
  if (query === undefined) return new Map();
  let bytes = 0;
  const read = calls.filter(({ payload_bytes: own }) => (bytes += own) <= SNIPPET_BYTES);
  const spans = read.length === 0 ? [] : await store.readSpans(accountId, read);
  return new Map(spans.map((span) => [span.trace_id, findSnippet(span, query)]));
}
