import { type Facet, isJsonObject, type JsonValue, LIMITS } from '@dacapo/protocol';

/** Which values that filters may take. They begin with `prefix`, which may be empty. */
export type FacetQuery = { of: 'score'; prefix: string } | SpanFacetQuery;

/** Those that the span store answers. */
export type SpanFacetQuery =
  | { of: Exclude<Facet, 'score' | 'metadata_value'>; prefix: string }
  /** Of what is at this path: names of members, from the outermost in. */
  | { of: 'metadata_value'; prefix: string; path: readonly string[] };

/** How a filter names what is in an entry of metadata, apart from what is in lists: `tier`, `user.plan`. */
export function metadataPathsIn(name: string, value: JsonValue, depth = 1): string[] {
  const isListed = name !== '' && !name.includes('"') && depth <= LIMITS.metadataPath;
  if (!isListed || Array.isArray(value)) return [];
  if (!isJsonObject(value)) return [name];
  return Object.entries(value).flatMap(([member, inner]) =>
    member === '' ? [] : metadataPathsIn(`${name}.${member}`, inner, depth + member.split('.').length),
  );
}

/** A value of metadata as a filter takes it. A text that reads as another value, or as a quoted text, is quoted. */
export function filterTextOf(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return /^(?:"|true$|false$|null$|-?\d)/.test(value) ? JSON.stringify(value) : value;
}
