import { type JsonValue, LIMITS, type ListConditions, TRACE_AMOUNTS, TRACE_LABELS } from '@dacapo/protocol';
import type { ScoreFilter } from '../storage/ports/score.js';
import { readTextQuery } from '../storage/rules/text-query.js';
import {
  type AmountRange,
  type MetadataFilter,
  SPAN_FIELDS,
  type TraceFilter,
} from '../storage/ports/trace-filter.js';

type Scalar = string | number | boolean | null;

/** The scalars that a requested value of a score or of metadata stands for. */
type Meaning = (value: JsonValue | undefined) => Scalar[];

/** For values in a JSON body: the value itself. Objects and lists have no scalar. */
const verbatim: Meaning = (value) => (typeof value === 'object' && value !== null ? [] : [value ?? null]);

/**
 * Converts the conditions of a list or a selection to the store's filter.
 *
 * @throws ProtocolError if the text has no words, or too many
 */
export function toTraceFilter(conditions: ListConditions, meaning = verbatim): TraceFilter {
  const { text } = conditions;
  const span = { ...pick(conditions, SPAN_FIELDS), ...(text !== undefined && { text: readTextQuery(text) }) };
  const amounts = TRACE_AMOUNTS.flatMap((amount): [string, AmountRange][] => {
    const [least, most] = [conditions[`min_${amount}`], conditions[`max_${amount}`]];
    const range = { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
    return Object.keys(range).length === 0 ? [] : [[amount, range]];
  });
  const metadata = Object.entries(conditions.metadata ?? {}).flatMap(([path, value]) =>
    metadataFilters(path, value, meaning),
  );
  return {
    ...pick(conditions, [...TRACE_LABELS, 'tags', 'except_tags', 'status', 'since', 'until']),
    ...(conditions.trace_function_key !== undefined && { traceFunctionKey: conditions.trace_function_key }),
    ...(conditions.trace_ids !== undefined && { traceIds: conditions.trace_ids }),
    ...(conditions.test_run_id !== undefined && { testRunId: conditions.test_run_id }),
    ...(conditions.replays === 'exclude' && { withoutReplays: true }),
    ...(Object.keys(span).length > 0 && { span }),
    ...(amounts.length > 0 && { amounts: Object.fromEntries(amounts) }),
    ...(metadata.length > 0 && { metadata }),
    ...toScoreFilter(conditions, meaning),
  };
}

/** The condition on a score. */
export function toScoreFilter(conditions: ListConditions, meaning = verbatim): { score?: ScoreFilter } {
  const { score: name, score_is: is, score_below: below, score_above: above } = conditions;
  if (name === undefined) return {};
  return {
    score: {
      name,
      ...(is !== undefined && { is: meaning(is) }),
      ...(below !== undefined && { below }),
      ...(above !== undefined && { above }),
    },
  };
}

/** The condition on a scalar at a path; `undefined` for other paths and values, which are checked in the metadata itself. */
export function metadataFilters(
  path: string,
  value: JsonValue | undefined,
  meaning = verbatim,
): MetadataFilter[] {
  const [names, values] = [path.split('.'), meaning(value)];
  const isPath = names.length <= LIMITS.metadataPath && !names.includes('') && !path.includes('"');
  return isPath && values.length > 0 ? [{ path: names, values }] : [];
}

/** Copies the members that are not `undefined`. */
export function pick<Source extends object, Name extends keyof Source>(
  source: Source,
  names: readonly Name[],
): Pick<Source, Name> {
  const known = names.filter((name) => source[name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, source[name]])) as Pick<Source, Name>;
}
