import { type Facet, isJsonObject, type JsonValue, LIMITS } from '@dacapo/protocol';

/** Asks for values that a filter accepts. All begin with `prefix`, which may be empty. */
export type FacetQuery = { of: 'score'; prefix: string } | SpanFacetQuery;

/** The queries that the span store answers. */
export type SpanFacetQuery =
  | { of: Exclude<Facet, 'score' | 'metadata_value'>; prefix: string }
  /** Values at this path: names of members, outermost first. */
  | { of: 'metadata_value'; prefix: string; path: readonly string[] };

/** The paths of all values in an entry of metadata, such as `tier` and `user.plan`. Lists are skipped. */
export function metadataPathsIn(name: string, value: JsonValue, depth = 1): string[] {
  const isListed = name !== '' && !name.includes('"') && depth <= LIMITS.metadataPath;
  if (!isListed || Array.isArray(value)) return [];
  if (!isJsonObject(value)) return [name];
  return Object.entries(value).flatMap(([member, inner]) =>
    member === '' ? [] : metadataPathsIn(`${name}.${member}`, inner, depth + member.split('.').length),
  );
}

/** A value of metadata as a filter writes it. A text is quoted if it could be read as another value or as a quoted text. */
export function toFilterText(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return /^(?:"|true$|false$|null$|-?\d)/.test(value) ? JSON.stringify(value) : value;
}
