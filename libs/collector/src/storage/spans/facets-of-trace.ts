import { isJsonObject, type JsonValue, LIMITS, type TraceRecord } from '@dacapo/protocol';
import { sha256 } from '../../sha256.js';
import { SPAN_FIELDS, type TraceFilter } from '../ports/trace-filter.js';
import type { SpanRow } from './rows.js';

/** Limit of a facet, because entries of an index are limited. */
const LONGEST_FACET_BYTES = 2000;
const HEAD_LENGTH = 100;
/** Marks a facet that is cut. */
const CUT = '\u0002';
/** Separates a path of metadata from its value. No JSON contains it. */
const VALUE = '\u0001';

/** Labels whose values filters suggest. */
const LABELS = ['user_id', 'environment', 'release'] as const;

/** A value that finds traces. A value that is too long is replaced by its digest. */
export function toFacet(of: string, value: string): string {
  const facet = `${of}:${value}`;
  if (Buffer.byteLength(facet) <= LONGEST_FACET_BYTES) return facet;
  return `${facet.slice(0, HEAD_LENGTH)}${CUT}${sha256(facet)}`;
}

/** A value at a path of metadata: names of members, joined by dots. */
function toMetadataFacet(path: string, json: string): string {
  return toFacet('metadata', `${path}${VALUE}${json}`);
}

/** The prefix of all facets at a path of metadata. */
export function metadataFacetsAt(path: string): string {
  return `metadata:${path}${VALUE}`;
}

export function isCutFacet(facet: string): boolean {
  return facet.includes(CUT);
}

/** The facets that a filter requires: a trace matches with at least one facet of each list. */
export function listFacetConditions({ tags = [], metadata = [], span = {} }: TraceFilter): string[][] {
  return [
    ...tags.map((tag) => [toFacet('tag', tag)]),
    ...metadata.map(({ path, values }) =>
      values.map((value) => toMetadataFacet(path.join('.'), JSON.stringify(value))),
    ),
    ...SPAN_FIELDS.flatMap((field) => (span[field] === undefined ? [] : [[toFacet(field, span[field])]])),
  ];
}

/** The facets of a trace. */
export function facetsOfTrace(
  spans: readonly Pick<SpanRow, (typeof SPAN_FIELDS)[number]>[],
  { tags = [], metadata = {}, ...labels }: TraceRecord,
): Set<string> {
  const facets = new Set<string>();
  for (const span of spans) {
    for (const field of SPAN_FIELDS) {
      const value = span[field];
      if (value !== null) facets.add(toFacet(field, value));
    }
  }
  for (const label of LABELS) {
    const text = labels[label];
    if (text !== undefined) facets.add(toFacet(label, text));
  }
  for (const tag of tags) facets.add(toFacet('tag', tag));
  for (const [name, value] of Object.entries(metadata)) {
    for (const [path, json] of listLeaves(name, value)) {
      facets.add(toFacet('metadata_path', path));
      facets.add(toMetadataFacet(path, json));
    }
  }
  return facets;
}

/** The paths of an entry, as filters write them, with their JSON; see `metadataPathsIn`. */
function listLeaves(path: string, value: JsonValue, depth = 1): [path: string, json: string][] {
  if (path === '' || path.includes('"') || depth > LIMITS.metadataPath || Array.isArray(value)) return [];
  if (!isJsonObject(value)) return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([member, inner]) =>
    member === '' ? [] : listLeaves(`${path}.${member}`, inner, depth + member.split('.').length),
  );
}
