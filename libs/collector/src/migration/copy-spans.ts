import { formatTimestamp, type SpanRecord } from '@dacapo/protocol';
import type { Clock } from '../clock.js';
import { listTraceGroups } from '../export/list-trace-groups.js';
import { splitBatches, toPatches, type TracePart } from '../export/trace-lines.js';
import { MAIN_THREAD } from '../memory/turns.js';
import type { SpanCost } from '../prices/price-list.js';
import { sha256 } from '../sha256.js';
import { TRANSFER_BATCH } from '../storage/meta/transfers.js';
import type { IngestBatch, SpanStore, TracePosition } from '../storage/ports/span-store.js';
import { readParts } from './read-parts.js';

interface CopiedPart {
  spans: number;
  /** All traces up to here are copied. */
  after: TracePosition | undefined;
}

/**
 * Copies the traces of an account, the newest first: spans as they are stored, with what they cost, and what was said of their traces, with
 * its time. Copying one again changes nothing.
 */
export async function* copySpans(
  source: SpanStore,
  target: SpanStore,
  accountId: string,
  clock: Readonly<Clock>,
  after?: TracePosition,
): AsyncGenerator<CopiedPart> {
  const place = { filter: {}, ...(after && { after }) };
  for await (const { traces, nodes } of listTraceGroups(source, accountId, place, MAIN_THREAD)) {
    for (const parts of splitBatches(traces, nodes)) {
      for (const batch of await toBatches(source, accountId, parts, formatTimestamp(clock.nowUs()))) {
        await target.ingest(accountId, batch);
      }
      yield { spans: parts.reduce((sum, part) => sum + part.nodes.length, 0), after: undefined };
    }
    yield { spans: 0, after: traces.at(-1)?.position };
  }
}

/** @returns one for the spans, and one for each trace that no span has reached, which is as old as its first patch */
async function toBatches(
  source: SpanStore,
  accountId: string,
  parts: readonly TracePart[],
  now: string,
): Promise<IngestBatch[]> {
  const { spans: stored, facts } = await readParts(source, accountId, parts);
  const costs = new Map<SpanRecord, SpanCost>();
  const spans = stored.map(({ cost, ...span }) => {
    if (cost !== undefined) costs.set(span, cost);
    return span;
  });
  const whole: IngestBatch = { spans, traces: [], costs, receivedAt: now };
  const batches = [whole];
  for (const { listed, nodes, isEnd } of parts) {
    const said = facts.get(listed.trace.id) ?? [];
    if (!isEnd) continue;
    const { started_at } = listed.trace;
    if (nodes.length === 0 && listed.trace.span_count === 0) {
      const traces = toPatches(listed.trace.id, said).map((patch) => ({
        ...patch,
        at: patch.at ?? started_at,
      }));
      batches.push({ spans: [], traces, receivedAt: started_at });
    } else if (said.length > 0) whole.traces.push(...toPatches(listed.trace.id, said));
  }
  return batches.map((batch) => ({ ...batch, batchId: nameBatch(batch) }));
}

/** The same for the same records, so that a store without transactions stores them once. */
function nameBatch({ spans, traces }: IngestBatch): string {
  const ids = [spans.map(({ trace_id, id }) => [trace_id, id]), traces.map(({ id, at }) => [id, at])];
  return TRANSFER_BATCH + sha256(JSON.stringify(ids));
}
