import {
  firstTags,
  formatTimestamp,
  pickLabels,
  LIMITS,
  type MediaRecord,
  type ScoreRecord,
  TRACE_LABELS,
  type TraceFact,
  type TraceRecord,
} from '@dacapo/protocol';
import type { KnownTrace, ListedTrace, SpanNode } from '../storage/ports/span-store.js';
import type { StoredSpan } from '../storage/rules/span-usage.js';

/** A batch has at most so many spans and bytes, or one larger span. */
const SPANS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1024 * 1024;

export interface TracePart {
  listed: ListedTrace;
  nodes: SpanNode[];
  /** Whether this is the last part of the trace. */
  isEnd: boolean;
}

/** Splits traces into batches. Parts of a large trace are in consecutive batches. */
export function* splitBatches(
  traces: readonly ListedTrace[],
  nodes: readonly SpanNode[],
): Generator<readonly TracePart[]> {
  const byTrace = new Map<string, SpanNode[]>(traces.map(({ trace }) => [trace.id, []]));
  for (const node of nodes) byTrace.get(node.trace_id)?.push(node);
  let batch: TracePart[] = [];
  let [spans, bytes] = [0, 0];
  for (const listed of traces) {
    let part: TracePart = { listed, nodes: [], isEnd: false };
    batch.push(part);
    for (const node of byTrace.get(listed.trace.id) ?? []) {
      if (spans > 0 && (spans >= SPANS_AT_ONCE || bytes + node.payload_bytes > BYTES_AT_ONCE)) {
        yield batch;
        part = { listed, nodes: [], isEnd: false };
        batch = [part];
        [spans, bytes] = [0, 0];
      }
      part.nodes.push(node);
      spans++;
      bytes += node.payload_bytes;
    }
    part.isEnd = true;
  }
  if (batch.length > 0) yield batch;
}

/** Leaves out the cost: the importing service computes it. */
export function spanLine(stored: StoredSpan): string {
  const span = { ...stored };
  delete span.cost;
  return `${JSON.stringify({ span })}\n`;
}

/** Whole groups of three bytes, which base64 encodes to the same text apart. */
const MEDIA_PIECE = 3 * 16 * 1024;

/** The line in pieces. */
export function* mediaLine({ id, trace_id, type, size }: MediaRecord, bytes: Uint8Array): Generator<string> {
  yield `${JSON.stringify({ media: { id, trace_id, type, size } }).slice(0, -2)},"data":"`;
  for (let from = 0; from < bytes.length; from += MEDIA_PIECE)
    yield Buffer.from(bytes.subarray(from, from + MEDIA_PIECE)).toString('base64');
  yield '"}}\n';
}

export function scoreLine(score: ScoreRecord): string {
  return `${JSON.stringify({ score })}\n`;
}

/** Writes a trace's facts as patches, one per time at which facts were recorded. The last line has the cursor to continue after. */
export function traceLines({ id, facts }: KnownTrace, cursor: string): string {
  const patches = toPatches(id, facts);
  return patches
    .map((trace, index) => JSON.stringify(index < patches.length - 1 ? { trace } : { trace, cursor }))
    .map((line) => `${line}\n`)
    .join('');
}

/** One for each time at which facts were recorded, or more; at least one. */
export function toPatches(id: string, facts: readonly TraceFact[]): TraceRecord[] {
  const times = new Map<number, TraceFact[]>();
  for (const fact of facts) times.set(fact.saidUs, [...(times.get(fact.saidUs) ?? []), fact]);
  const patches = [...times]
    .sort(([left], [right]) => left - right)
    .flatMap(([atUs, atOnce]) => splitFacts(atOnce).map((some) => toPatch(id, atUs, some)));
  return patches.length > 0 ? patches : [{ id }];
}

/** One record has at most `LIMITS.traceAttributes`. */
function splitFacts(facts: readonly TraceFact[]): TraceFact[][] {
  const count = Math.ceil(facts.length / LIMITS.traceAttributes);
  return Array.from({ length: count }, (_, index) =>
    facts.slice(index * LIMITS.traceAttributes, (index + 1) * LIMITS.traceAttributes),
  );
}

function toPatch(id: string, atUs: number, facts: readonly TraceFact[]): TraceRecord {
  const select = (kind: TraceFact['kind']): TraceFact[] => facts.filter((fact) => fact.kind === kind);
  const labels = TRACE_LABELS.map((label) => [label, select(label)[0]?.text] as const);
  const tags = firstTags(select('tag').map(({ text }) => text));
  const [metadata, contexts] = [select('metadata'), select('context')].map((some) =>
    Object.fromEntries(some.map(({ key, value }) => [key, value])),
  );
  return {
    id,
    at: formatTimestamp(atUs),
    ...pickLabels(Object.fromEntries(labels)),
    ...(tags.length > 0 && { tags }),
    ...(select('metadata').length > 0 && { metadata }),
    ...(select('context').length > 0 && { contexts }),
  };
}
