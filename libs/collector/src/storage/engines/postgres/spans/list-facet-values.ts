import type { FacetValues } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { SpanFacetQuery } from '../../../ports/facets.js';
import { type FacetRow, listFacetStarts, toFacetValues } from '../../../spans/facet-values.js';

/** Maximum of distinct values that are read, in sorted order. Each needs two index lookups. */
const LOOKED_AT = 1000;

/** Appended to a prefix, sorts after all texts with the prefix. */
const LAST = '\u{10FFFF}';

interface LookedRow extends FacetRow {
  looked: number;
}

/** Walks over the distinct facets from `:start` to `:end`, and returns those of the newest traces. */
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
    listFacetStarts(query).map((start) =>
      db.all<LookedRow>(VALUES, { accountId, start, end: start + LAST, most }),
    ),
  );
  const isCut = found.some(([first]) => first !== undefined && first.looked >= LOOKED_AT);
  return toFacetValues(found.flat(), query, limit, isCut);
}
