import { parseTimestamp } from '../timestamp.js';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { SpanRecord } from './span.js';
import type { TraceRecord } from './trace.js';

/** One thing that a record says of its trace. A session has the empty key. */
export interface TraceFact {
  readonly traceId: string;
  readonly kind: 'session' | 'metadata' | 'context';
  readonly key: string;
  readonly value: JsonValue;
  /** The id of the session; else `value` as JSON. */
  readonly text: string;
  /** When it was said, in microseconds since the epoch. */
  readonly saidUs: number;
}

/** What a span says of its trace: when it ended, or when it began if it has not. */
export function factsOfSpan(span: SpanRecord): TraceFact[] {
  const { trace_id, session_id, trace_metadata, trace_contexts, started_at, ended_at = started_at } = span;
  if (session_id === undefined && trace_metadata === undefined && trace_contexts === undefined) return [];
  return facts(
    { id: trace_id, session_id, metadata: trace_metadata, contexts: trace_contexts },
    parseTimestamp(ended_at) ?? 0,
  );
}

/**
 * What a patch says of its trace.
 *
 * @param receivedAt when it came, for a patch that does not tell when it was made
 */
export function factsOfPatch(patch: TraceRecord, receivedAt: string): TraceFact[] {
  return facts(patch, parseTimestamp(patch.at ?? receivedAt) ?? 0);
}

interface Said {
  readonly id: string;
  readonly session_id?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly contexts?: Record<string, JsonValue> | undefined;
}

function facts({ id, session_id, metadata = {}, contexts = {} }: Said, saidUs: number): TraceFact[] {
  const fact = (kind: TraceFact['kind'], key: string, value: JsonValue): TraceFact => ({
    ...{ traceId: id, kind, key, value, saidUs },
    text: kind === 'session' && typeof value === 'string' ? value : JSON.stringify(value),
  });
  return [
    ...(session_id === undefined ? [] : [fact('session', '', session_id)]),
    ...Object.entries(metadata).map(([key, value]) => fact('metadata', key, value)),
    ...Object.entries(contexts).map(([key, value]) => fact('context', key, value)),
  ];
}

/**
 * Whether the first of two facts with one trace, kind and key counts: the one that was said later; of two that were said at
 * once, the one whose text is greater. So what is known of a trace does not depend on the order in which records arrive.
 */
export function outranks(fact: TraceFact, other: TraceFact): boolean {
  return fact.saidUs === other.saidUs ? isGreater(fact.text, other.text) : fact.saidUs > other.saidUs;
}

/** By code points, which is the order of the bytes of UTF-8: databases compare by those. */
function isGreater(left: string, right: string): boolean {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  // Where they differ within a surrogate pair, the pair begins one before.
  const isWithinPair = at > 0 && /[\ud800-\udbff]/.test(left.charAt(at - 1));
  const from = isWithinPair ? at - 1 : at;
  return (left.codePointAt(from) ?? -1) > (right.codePointAt(from) ?? -1);
}

/** What is known of a trace, gathered from its records in whatever order they come. */
export class TraceFacts {
  private readonly counting = new Map<string, TraceFact>();

  add(facts: readonly TraceFact[]): void {
    for (const fact of facts) {
      const name = `${fact.kind}/${fact.key}`;
      const known = this.counting.get(name);
      if (known === undefined || outranks(fact, known)) this.counting.set(name, fact);
    }
  }

  /** Those that count. */
  values(): TraceFact[] {
    return [...this.counting.values()];
  }

  /** The same as one patch; fields of which nothing is known are absent. */
  toRecord(id: string): TraceRecord {
    const session = this.counting.get('session/');
    const metadata = this.entries('metadata');
    const contexts = this.entries('context');
    return {
      id,
      ...(typeof session?.value === 'string' && { session_id: session.value }),
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
