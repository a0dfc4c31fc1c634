import {
  isJsonObject,
  type JsonValue,
  type ListConditions,
  type TraceAmount,
  type TraceLabel,
} from '@dacapo/protocol';
import type { ScoreFilter } from './score.js';
import type { TextQuery } from '../rules/text-query.js';

/** Fields of a span that a filter compares with one value. */
export const SPAN_FIELDS = ['name', 'type', 'kind', 'level', 'model'] as const;
type SpanField = (typeof SPAN_FIELDS)[number];

/** Selects traces that match all conditions. */
export interface TraceFilter extends Pick<ListConditions, TraceLabel | 'tags' | 'except_tags' | 'status'> {
  /** Traces with a span with this key, at any depth. */
  traceFunctionKey?: string;
  /** Traces that started at this time or later; with a key, whose first call of the key did. */
  since?: string;
  /** Traces that started before this time; with a key, whose first call of the key did. */
  until?: string;
  testRunId?: string;
  /** Only these traces. */
  traceIds?: readonly string[];
  /** With a key: traces with a finished call of it outside test runs. */
  withRecording?: true;
  /** Excludes traces of test runs. */
  withoutReplays?: true;
  /** Traces with a matching score, on the trace or on one of its spans. */
  score?: ScoreFilter;
  /** Traces with a span that matches all of this; with a key, with a matching call of it. */
  span?: SpanFilter;
  /** With a text: also traces with a matching span whose text is not indexed yet, whatever the text is. */
  withUnindexed?: true;
  /** Amounts of the whole trace. A trace without the amount matches no range. */
  amounts?: Partial<Record<TraceAmount, AmountRange>>;
  /** A trace matches all of them. */
  metadata?: MetadataFilter[];
}

export interface SpanFilter extends Pick<ListConditions, SpanField> {
  /** Words in the span's name, input, output, error or prompt. */
  text?: TextQuery;
}

/** Both bounds are inclusive. */
export interface AmountRange {
  least?: number;
  most?: number;
}

/** The value at a path in the metadata is one of these. */
export interface MetadataFilter {
  /** Names of members, outermost first. Two neighbours may also be one name with a dot. */
  path: readonly string[];
  values: readonly JsonValue[];
}

/** Every way to read a path as names of members: `a.b` is a member `b` of `a`, or a member `a.b`. */
export function listPathReadings(path: readonly string[]): string[][] {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return [[first]];
  return listPathReadings(rest).flatMap(([next = '', ...more]) => [
    [first, next, ...more],
    [`${first}.${next}`, ...more],
  ]);
}

export function hasMetadata(metadata: JsonValue, { path, values }: MetadataFilter): boolean {
  const wanted = new Set(values.map((value) => JSON.stringify(value)));
  return listPathReadings(path).some((names) => {
    let found: JsonValue | undefined = metadata;
    for (const name of names) {
      found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found !== undefined && wanted.has(JSON.stringify(found));
  });
}
