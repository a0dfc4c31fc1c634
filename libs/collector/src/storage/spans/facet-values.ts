import type { FacetValues } from '@dacapo/protocol';
import { toFilterText, type SpanFacetQuery } from '../ports/facets.js';
import { isCutFacet, metadataFacetsAt } from './facets-of-trace.js';

/** A facet, and the newest trace that has it. */
export interface FacetRow {
  facet: string;
  trace_id: string;
}

/** Prefixes of the requested facets. A text of metadata matches with and without quotes. */
export function listFacetStarts(query: SpanFacetQuery): string[] {
  const { of, prefix } = query;
  if (of !== 'metadata_value') return [`${of}:${prefix}`];
  const start = metadataFacetsAt(query.path.join('.'));
  return prefix === '' || prefix.startsWith('"') ? [start + prefix] : [start + prefix, `${start}"${prefix}`];
}

/** @param isCut whether there are more rows */
export function toFacetValues(
  rows: readonly FacetRow[],
  query: SpanFacetQuery,
  limit: number,
  isCut: boolean,
): FacetValues {
  const items = rows
    .toSorted(compareRows)
    .flatMap(({ facet }) => (isCutFacet(facet) ? [] : [valueIn(facet, query)]));
  return { items: items.slice(0, limit), ...((items.length > limit || isCut) && { has_more: true }) };
}

function valueIn(facet: string, query: SpanFacetQuery): string {
  if (query.of !== 'metadata_value') return facet.slice(query.of.length + 1);
  const json = facet.slice(metadataFacetsAt(query.path.join('.')).length);
  return toFilterText(JSON.parse(json) as string | number | boolean | null);
}

function compareRows(left: FacetRow, right: FacetRow): number {
  if (left.trace_id !== right.trace_id) return left.trace_id > right.trace_id ? -1 : 1;
  return left.facet < right.facet ? -1 : 1;
}
