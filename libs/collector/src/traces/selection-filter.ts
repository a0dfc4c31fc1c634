import {
  type CallSelection,
  equal,
  FIELD_NAMES,
  type FieldConditions,
  type JsonObject,
  type JsonValue,
  LIMITS,
  readValue,
  TRACE_AMOUNTS,
} from '@dacapo/protocol';
import { parseTextQuery } from '../storage/text-query.js';
import {
  fieldFilterOf,
  hasMetadata,
  type MetadataFilter,
  type TraceFilter,
} from '../storage/trace-filter.js';

type Conditions = Omit<CallSelection, 'limit' | 'sample'>;

/**
 * What a list of traces is asked, of what a selection asks: the names mean the same in both.
 *
 * @returns `undefined` where a list says no more than which traces have calls of the key
 */
export function listedFilterOf(conditions: Conditions): TraceFilter | undefined {
  const { text, score, score_is: is, score_below: below, score_above: above } = conditions;
  const amounts = TRACE_AMOUNTS.flatMap((amount) => {
    const [least, most] = [conditions[`min_${amount}`], conditions[`max_${amount}`]];
    const range = { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
    return Object.keys(range).length === 0 ? [] : [[amount, range] as const];
  });
  const metadata = metadataFiltersOf(conditions.metadata ?? {});
  const filter: TraceFilter = {
    // A session alone is listed with all that is counted: see `CandidateTraces.filter`.
    ...fieldFilterOf(
      pickFields({ ...conditions, session_id: undefined }),
      text === undefined ? undefined : parseTextQuery(text),
    ),
    ...(amounts.length > 0 && { amounts: Object.fromEntries(amounts) }),
    ...(metadata.length > 0 && { metadata }),
    ...(score !== undefined && {
      score: {
        name: score,
        ...(is !== undefined && { is: [is] }),
        ...(below !== undefined && { below }),
        ...(above !== undefined && { above }),
      },
    }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** The conditions on fields alone. */
export function pickFields(conditions: {
  [name in keyof FieldConditions]?: FieldConditions[name] | undefined;
}): FieldConditions {
  const given = FIELD_NAMES.filter((name) => conditions[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, conditions[name]]));
}

/** Whether the metadata has all of the entries: of each an equal value, or the same scalar at the path that its key names. */
export function hasAll(metadata: JsonObject, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const own = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    if (own !== undefined && equal(readValue({ json: own }), readValue({ json: value })) === 'equal')
      return true;
    const filter = metadataFilterOf(key, value);
    return filter !== undefined && hasMetadata(metadata, filter);
  });
}

function metadataFiltersOf(metadata: JsonObject): MetadataFilter[] {
  return Object.entries(metadata).flatMap(([key, value]) => metadataFilterOf(key, value) ?? []);
}

/** What no path tells is looked at in the metadata itself. */
function metadataFilterOf(key: string, value: JsonValue | undefined): MetadataFilter | undefined {
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const path = key.split('.');
  const isPath = path.length <= LIMITS.metadataPath && !path.includes('') && !key.includes('"');
  return isPath ? { path, values: [value] } : undefined;
}
