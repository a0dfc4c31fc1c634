import {
  isJsonObject,
  type FieldConditions,
  type JsonValue,
  type SpanKind,
  type SpanLevel,
  type SpanStatus,
  type SpanType,
  type TraceAmount,
  type TraceLabel,
} from '@dacapo/protocol';
import type { ScoreFilter } from './score-log.js';
import type { TextQuery } from './text-query.js';

/** Which traces. Conditions hold together. */
export interface TraceFilter {
  /** Traces with a span of this key, wherever it is. */
  traceFunctionKey?: string;
  sessionId?: string;
  userId?: string;
  environment?: string;
  release?: string;
  /** All of them. */
  tags?: readonly string[];
  /**
   * The worst of the trace's spans, or of its calls of the key where one is given: `error` comes before `cancelled`, then
   * `unfinished`, then `ok`. A trace without spans is `unfinished`.
   */
  status?: SpanStatus;
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

/** Conditions on one text of a trace, and the fields that they are about. */
export const LABEL_CONDITIONS = {
  sessionId: 'session_id',
  userId: 'user_id',
  environment: 'environment',
  release: 'release',
} as const satisfies Record<string, TraceLabel>;

export type LabelCondition = keyof typeof LABEL_CONDITIONS;

export const LABEL_NAMES = Object.keys(LABEL_CONDITIONS) as LabelCondition[];

export interface SpanFilter {
  name?: string;
  type?: SpanType;
  kind?: SpanKind;
  level?: SpanLevel;
  /** As its usage tells it. */
  model?: string;
  /** All of it is in its name, input, output, error and prompt. */
  text?: TextQuery;
}

/** What a list is asked of the fields of traces and spans. */
export function fieldFilterOf(conditions: FieldConditions, text?: TextQuery): TraceFilter {
  const { session_id, user_id, environment, release, tags, ...ofSpan } = conditions;
  const span: SpanFilter = { ...ofSpan, ...(text !== undefined && { text }) };
  return {
    ...(session_id !== undefined && { sessionId: session_id }),
    ...(user_id !== undefined && { userId: user_id }),
    ...(environment !== undefined && { environment }),
    ...(release !== undefined && { release }),
    ...(tags !== undefined && { tags }),
    ...(Object.keys(span).length > 0 && { span }),
  };
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
