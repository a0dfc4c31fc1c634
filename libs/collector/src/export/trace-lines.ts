import {
  firstTags,
  formatTimestamp,
  labelsOf,
  LIMITS,
  type ScoreRecord,
  TRACE_LABELS,
  type TraceFact,
  type TraceRecord,
} from '@dacapo/protocol';
import type { KnownTrace, ListedTrace, SpanNode } from '../storage/span-store.js';
import type { StoredSpan } from '../storage/span-usage.js';

/** Spans that are read in one go: so many, of so many bytes, or one. */
const SPANS_AT_ONCE = 200;
const BYTES_AT_ONCE = 1024 * 1024;

/** Spans of one trace that are read together. */
export interface TracePart {
  listed: ListedTrace;
  nodes: SpanNode[];
  /** No more spans of it come. */
  isEnd: boolean;
}

/** Splits traces into what is read in one go. Parts of a trace follow each other, each in a batch of its own. */
export function* batchesOf(
  traces: readonly ListedTrace[],
  nodes: readonly SpanNode[],
): Generator<readonly TracePart[]> {
  const ofTraces = new Map<string, SpanNode[]>(traces.map(({ trace }) => [trace.id, []]));
  for (const node of nodes) ofTraces.get(node.trace_id)?.push(node);
  let batch: TracePart[] = [];
  let [spans, bytes] = [0, 0];
  for (const listed of traces) {
    let part: TracePart = { listed, nodes: [], isEnd: false };
    batch.push(part);
    for (const node of ofTraces.get(listed.trace.id) ?? []) {
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

/** What a span cost is computed by whoever takes it in. */
export function spanLine(stored: StoredSpan): string {
  const span = { ...stored };
  delete span.cost;
  return `${JSON.stringify({ span })}\n`;
}

export function scoreLine(score: ScoreRecord): string {
  return `${JSON.stringify({ score })}\n`;
}

/** What is known of a trace, as patches of the times at which it was said. The last line tells where an export goes on. */
export function traceLines({ id, facts }: KnownTrace, cursor: string): string {
  const patches = patchesOf(id, facts);
  return patches
    .map((trace, index) => JSON.stringify(index < patches.length - 1 ? { trace } : { trace, cursor }))
    .map((line) => `${line}\n`)
    .join('');
}

function patchesOf(id: string, facts: readonly TraceFact[]): TraceRecord[] {
  const times = new Map<number, TraceFact[]>();
  for (const fact of facts) times.set(fact.saidUs, [...(times.get(fact.saidUs) ?? []), fact]);
  const patches = [...times]
    .sort(([left], [right]) => left - right)
    .flatMap(([saidUs, said]) => chunksOf(said).map((some) => patchOf(id, saidUs, some)));
  return patches.length > 0 ? patches : [{ id }];
}

/** As many as one record may tell. */
function chunksOf(facts: readonly TraceFact[]): TraceFact[][] {
  const count = Math.ceil(facts.length / LIMITS.traceAttributes);
  return Array.from({ length: count }, (_, index) =>
    facts.slice(index * LIMITS.traceAttributes, (index + 1) * LIMITS.traceAttributes),
  );
}

function patchOf(id: string, saidUs: number, facts: readonly TraceFact[]): TraceRecord {
  const of = (kind: TraceFact['kind']): TraceFact[] => facts.filter((fact) => fact.kind === kind);
  const labels = TRACE_LABELS.map((label) => [label, of(label)[0]?.text] as const);
  const tags = firstTags(of('tag').map(({ text }) => text));
  const [metadata, contexts] = [of('metadata'), of('context')].map((some) =>
    Object.fromEntries(some.map(({ key, value }) => [key, value])),
  );
  return {
    id,
    at: formatTimestamp(saidUs),
    ...labelsOf(Object.fromEntries(labels)),
    ...(tags.length > 0 && { tags }),
    ...(of('metadata').length > 0 && { metadata }),
    ...(of('context').length > 0 && { contexts }),
  };
}
