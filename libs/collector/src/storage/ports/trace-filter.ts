import {
  isJsonObject,
  type JsonValue,
  type ListConditions,
  type TraceAmount,
  type TraceLabel,
} from '@dacapo/protocol';
import type { ScoreFilter } from './score.js';
import type { TextQuery } from '../rules/text-query.js';

/** Conditions on one field of a span. */
export const SPAN_FIELDS = ['name', 'type', 'kind', 'level', 'model'] as const;
type SpanField = (typeof SPAN_FIELDS)[number];

/** Which traces. Conditions hold together. */
export interface TraceFilter extends Pick<ListConditions, TraceLabel | 'tags' | 'status'> {
  /** Traces with a span of this key, wherever it is. */
  traceFunctionKey?: string;
  /** Started at this time or later; under a key, first called then. */
  since?: string;
  /** Started before this time; under a key, first called before. */
  until?: string;
  testRunId?: string;
  /** Only of these. */
  traceIds?: readonly string[];
  /** Under a key: with a finished call of it that no test run made. */
  withRecording?: true;
  /** Only what was recorded, not what test runs played again. */
  withoutReplays?: true;
  /** Traces with such a score, on a span of theirs too. */
  score?: ScoreFilter;
  /** Traces with a span that is all of this; under a key, with such a call of it. */
  span?: SpanFilter;
  /** Under a text: with such a span whose text is not looked through yet, too, whatever it says. */
  withUnindexed?: true;
  /** Of the whole trace. One that does not tell an amount is in no range of it. */
  amounts?: Partial<Record<TraceAmount, AmountRange>>;
  /** All of them. */
  metadata?: MetadataFilter[];
}

export interface SpanFilter extends Pick<ListConditions, SpanField> {
  /** All of it is in its name, input, output, error and prompt. */
  text?: TextQuery;
}

/** Both bounds belong to it. */
export interface AmountRange {
  least?: number;
  most?: number;
}

/** What is at a path in the metadata is one of these values. */
export interface MetadataFilter {
  /** Names of members, from the outermost in. Neighbours may be one name that has dots. */
  path: readonly string[];
  values: readonly JsonValue[];
}

/** Every way to read a path as names of members: `a.b` is a member `b` of `a`, or a member `a.b`. */
export function readingsOf(path: readonly string[]): string[][] {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return [[first]];
  return readingsOf(rest).flatMap(([next = '', ...more]) => [
    [first, next, ...more],
    [`${first}.${next}`, ...more],
  ]);
}

export function hasMetadata(metadata: JsonValue, { path, values }: MetadataFilter): boolean {
  const wanted = new Set(values.map((value) => JSON.stringify(value)));
  return readingsOf(path).some((names) => {
    let found: JsonValue | undefined = metadata;
    for (const name of names) {
      found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found !== undefined && wanted.has(JSON.stringify(found));
  });
}
