import type { FacetValues } from '@dacapo/protocol';
import type { SpanFacetQuery } from '../../ports/facets.js';
import { type FacetRow, listFacetStarts, toFacetValues } from '../../spans/facet-values.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { currentTraces } from './tables.js';

export async function listFacetValues(
  connection: ClickHouseConnection,
  accountId: string,
  query: SpanFacetQuery,
  limit: number,
): Promise<FacetValues> {
  const conditions = new Conditions(accountId);
  const begins = listFacetStarts(query).map((start) => `startsWith(f, ${conditions.bind(start)})`);
  const most = limit + 1;
  const rows = await connection.all<FacetRow>(
    `SELECT f AS facet, max(t.trace_id) AS trace_id FROM ${currentTraces()} AS t ARRAY JOIN t.facets AS f
      WHERE ${begins.join(' OR ')} GROUP BY facet ORDER BY trace_id DESC, facet LIMIT ${most}`,
    conditions.parameters,
  );
  return toFacetValues(rows, query, limit, rows.length === most);
}
