import type { FacetValues } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import { filterTextOf, type SpanFacetQuery } from '../../../ports/facets.js';
import { isCutFacet, metadataFacetsAt } from '../../../spans/facets-of-trace.js';

/** Distinct values that are looked at, by the alphabet: each costs two looks into an index. */
const LOOKED_AT = 1000;

/** Sorts behind all that begins alike. */
const LAST = '\u{10FFFF}';

interface FacetRow {
  facet: string;
  looked: number;
  trace_id: string;
}

/** Distinct facets from `:start` to `:end`, from one to the next; those of the newest traces. */
const VALUES = `WITH RECURSIVE walk(facet, n) AS (
    SELECT (SELECT min(facet) FROM trace_facets WHERE account_id = :accountId AND facet >= :start AND facet < :end), 1
    UNION ALL
    SELECT (SELECT min(facet) FROM trace_facets
      WHERE account_id = :accountId AND facet > walk.facet AND facet < :end), n + 1
      FROM walk WHERE facet IS NOT NULL AND n < ${LOOKED_AT})
  SELECT facet, count(*) OVER () AS looked,
    (SELECT max(f.trace_id) FROM trace_facets f WHERE f.account_id = :accountId AND f.facet = walk.facet) AS trace_id
  FROM walk WHERE facet IS NOT NULL ORDER BY trace_id DESC, facet LIMIT :most`;

export async function listFacetValues(
  db: MetaTransaction,
  accountId: string,
  query: SpanFacetQuery,
  limit: number,
): Promise<FacetValues> {
  const most = limit + 1;
  const found = await Promise.all(
    listStarts(query).map((start) => db.all<FacetRow>(VALUES, { accountId, start, end: start + LAST, most })),
  );
  const rows = found.flat().sort(compareRows);
  const items = rows.flatMap(({ facet }) => (isCutFacet(facet) ? [] : [valueIn(facet, query)]));
  const hasMore =
    items.length > limit || found.some(([first]) => first !== undefined && first.looked >= LOOKED_AT);
  return { items: items.slice(0, limit), ...(hasMore && { has_more: true }) };
}

/** How the facets that are asked for begin. A text of metadata may be asked for with its quotes, or without. */
function listStarts(query: SpanFacetQuery): string[] {
  const { of, prefix } = query;
  if (of !== 'metadata_value') return [`${of}:${prefix}`];
  const start = metadataFacetsAt(query.path.join('.'));
  return prefix === '' || prefix.startsWith('"') ? [start + prefix] : [start + prefix, `${start}"${prefix}`];
}

function valueIn(facet: string, query: SpanFacetQuery): string {
  if (query.of !== 'metadata_value') return facet.slice(query.of.length + 1);
  const json = facet.slice(metadataFacetsAt(query.path.join('.')).length);
  return filterTextOf(JSON.parse(json) as string | number | boolean | null);
}

function compareRows(left: FacetRow, right: FacetRow): number {
  if (left.trace_id !== right.trace_id) return left.trace_id > right.trace_id ? -1 : 1;
  return left.facet < right.facet ? -1 : 1;
}
