import { LIMITS } from '../limits.js';
import { parseTimestamp } from '../timestamp.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { SpanRecord } from './span.js';
import type { TraceRecord } from './trace.js';

/** Text fields of spans and patches that label their trace. */
export const TRACE_LABELS = ['session_id', 'user_id', 'environment', 'release'] as const;
export type TraceLabel = (typeof TRACE_LABELS)[number];

/** One value that a record sets on its trace. The key of a label is empty, the key of a tag is the tag. */
export interface TraceFact {
  readonly traceId: string;
  readonly kind: TraceLabel | 'tag' | 'metadata' | 'context';
  readonly key: string;
  readonly value: JsonValue;
  /** A label or a tag verbatim; otherwise `value` as JSON. */
  readonly text: string;
  /** When it was set, in microseconds since the epoch. */
  readonly saidUs: number;
}

/** Trace values of a span, dated by its end, or by its start if it has not ended. */
export function readSpanFacts(span: SpanRecord): TraceFact[] {
  const { trace_id, tags, trace_metadata, trace_contexts, started_at, ended_at = started_at } = span;
  const hasNone = tags === undefined && trace_metadata === undefined && trace_contexts === undefined;
  if (hasNone && TRACE_LABELS.every((label) => span[label] === undefined)) return [];
  return facts(
    { ...pickLabels(span), id: trace_id, tags, metadata: trace_metadata, contexts: trace_contexts },
    parseTimestamp(ended_at) ?? 0,
  );
}

/**
 * Trace values of a patch.
 *
 * @param receivedAt date of a patch without `at`
 */
export function readPatchFacts(patch: TraceRecord, receivedAt: string): TraceFact[] {
  return facts(patch, parseTimestamp(patch.at ?? receivedAt) ?? 0);
}

/** The labels that a span, a patch or a summary has. */
export function pickLabels(
  record: Readonly<Partial<Record<TraceLabel, string | undefined>>>,
): Partial<Record<TraceLabel, string>> {
  const labels: Partial<Record<TraceLabel, string>> = {};
  for (const label of TRACE_LABELS) {
    const text = record[label];
    if (text !== undefined) labels[label] = text;
  }
  return labels;
}

interface TraceValues extends Partial<Record<TraceLabel, string | undefined>> {
  readonly id: string;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly contexts?: Record<string, JsonValue> | undefined;
}

function facts(values: TraceValues, saidUs: number): TraceFact[] {
  const { id: traceId, tags = [], metadata = {}, contexts = {} } = values;
  const labels = Object.entries(pickLabels(values)) as [TraceLabel, string][];
  const fact = (kind: TraceFact['kind'], key: string, value: JsonValue, text: string): TraceFact => ({
    traceId,
    kind,
    key,
    value,
    text,
    saidUs,
  });
  return [
    ...labels.map(([label, text]) => fact(label, '', text, text)),
    ...tags.map((tag) => fact('tag', tag, true, tag)),
    ...Object.entries(metadata).map(([key, value]) => fact('metadata', key, value, JSON.stringify(value))),
    ...Object.entries(contexts).map(([key, value]) => fact('context', key, value, JSON.stringify(value))),
  ];
}

/**
 * Whether the first of two facts with the same trace, kind and key counts. The later one wins; at the same time, the greater
 * text wins. The result does not depend on the order in which records arrive.
 */
export function supersedes(fact: TraceFact, other: TraceFact): boolean {
  return fact.saidUs === other.saidUs ? isGreater(fact.text, other.text) : fact.saidUs > other.saidUs;
}

/** Compares by code points, which is the order of UTF-8 bytes that databases use. */
function isGreater(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  // If they differ inside a surrogate pair, compare from the start of the pair.
  const isWithinPair = at > 0 && /[\ud800-\udbff]/.test(left.charAt(at - 1));
  const from = isWithinPair ? at - 1 : at;
  return (left.codePointAt(from) ?? -1) > (right.codePointAt(from) ?? -1);
}

/** The tags that count: sorted, so that merging several records gives the same result in any order. */
export function firstTags(tags: readonly string[]): string[] {
  const sorted = [...new Set(tags)].sort((left, right) => (isGreater(left, right) ? 1 : -1));
  return sorted.slice(0, LIMITS.tags);
}

/** Merges the trace values of several records, in any order. */
export class TraceFacts {
  private readonly counting = new Map<string, TraceFact>();

  add(facts: readonly TraceFact[]): void {
    for (const fact of facts) {
      const name = `${fact.kind}/${fact.key}`;
      const known = this.counting.get(name);
      if (known === undefined || supersedes(fact, known)) this.counting.set(name, fact);
    }
  }

  /** The facts that count. */
  values(): TraceFact[] {
    return [...this.counting.values()];
  }

  /** The facts as one patch. Fields without a fact are absent. */
  toRecord(id: string): TraceRecord {
    const labels = TRACE_LABELS.map((label) => [label, this.counting.get(`${label}/`)?.text] as const);
    const tags = firstTags(this.entries('tag').map(([tag]) => tag));
    const metadata = this.entries('metadata');
    const contexts = this.entries('context');
    return {
      id,
      ...pickLabels(Object.fromEntries(labels)),
      ...(tags.length > 0 && { tags }),
      ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
      ...(contexts.length > 0 && { contexts: Object.fromEntries(contexts) }),
    };
  }

  private entries(kind: TraceFact['kind']): [string, JsonValue][] {
    return this.values()
      .filter((fact) => fact.kind === kind)
      .map(({ key, value }) => [key, value]);
  }
}
