import { readPages } from '@dacapo/client';
import type { SpanDetail, SpanSummary } from '@dacapo/protocol';
import { UsageError } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';
import { findTraceId } from '../traces/find-trace-id.js';
import { listCallers } from '../traces/list-callers.js';
import { readTrace } from '../traces/read-trace.js';
import { NoFailedCallError } from './errors.js';

const SPAN_ID = /^[0-9a-f]{16}$/;
const PAGE_SIZE = 200;
/** Spans that are looked at: the outermost failed ones. */
const MOST_READ = 20;
/** Calls of a key among which a span is searched. */
const MOST_SEARCHED = 2_000;

export interface FailedCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly key: string;
}

/**
 * Finds the call to reproduce: the named span, else the outermost failed call of the trace whose arguments are recorded.
 *
 * @param word a trace or its beginning, `trace/span`, or with a key the id of a span
 * @throws NoFailedCallError, UsageError
 */
export async function findFailedCall(
  client: ServiceClient,
  word: string,
  key: string | undefined,
): Promise<FailedCall> {
  if (SPAN_ID.test(word)) return findSpan(client, word, key);
  const [traceWord = '', spanId] = word.split('/');
  const traceId = await findTraceId(client, traceWord);
  const { spans } = await readTrace(client, traceId);
  const isWanted = (span: SpanSummary): boolean =>
    (spanId === undefined || span.id === spanId) && (key === undefined || span.trace_function_key === key);
  const failed = spans.filter((span) => isWanted(span) && span.status === 'error' && span.mocked !== true);
  if (failed.length === 0)
    throw new NoFailedCallError(traceId, `has no failed call${describeWanted(spanId, key)}`);
  for (const span of sortByDepth(failed, spans).slice(0, MOST_READ)) {
    const detail = await client.api.traces.getSpan({ id: traceId, span_id: span.id });
    if (isReplayable(detail)) return { traceId, spanId: span.id, key: span.trace_function_key };
  }
  throw new NoFailedCallError(
    traceId,
    `has failed calls${describeWanted(spanId, key)}, but the arguments of none are recorded completely`,
  );
}

async function findSpan(client: ServiceClient, spanId: string, key: string | undefined): Promise<FailedCall> {
  if (key === undefined)
    throw new UsageError('A span is found by its trace or its key. Pass trace/span, or add --key <key>.');
  let searched = 0;
  const wanted = { trace_function_key: key, status: 'error' as const, limit: PAGE_SIZE };
  for await (const page of readPages((one) => client.api.calls.search({ ...wanted, ...one }))) {
    const found = page.find((call) => call.span_id === spanId);
    if (found !== undefined) return { traceId: found.trace_id, spanId, key };
    if ((searched += page.length) >= MOST_SEARCHED) break;
  }
  throw new UsageError(
    `None of the newest ${searched} failed calls with the key ${JSON.stringify(key)} has the id ${spanId}. Pass trace/span.`,
  );
}

/** Outermost spans first, then by start. */
function sortByDepth(chosen: readonly SpanSummary[], spans: readonly SpanSummary[]): SpanSummary[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  return chosen
    .map((span) => ({ span, depth: listCallers(byId, span).length }))
    .sort((a, b) => a.depth - b.depth || (a.span.started_at < b.span.started_at ? -1 : 1))
    .map(({ span }) => span);
}

/** A request has no arguments; it is not a call of a function. */
function isReplayable({ span_data: { input, meta } }: SpanDetail): boolean {
  return Array.isArray(input) && meta?.replayable !== false && meta?.source !== 'otlp';
}

function describeWanted(spanId: string | undefined, key: string | undefined): string {
  return [
    ...(spanId === undefined ? [] : [` with the id ${spanId}`]),
    ...(key === undefined ? [] : [` with the key ${JSON.stringify(key)}`]),
  ].join('');
}
