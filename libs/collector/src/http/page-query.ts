import { Fields } from '@dacapo/protocol';
import type { PageRequest } from '../cursor.js';

const ITEMS_IN_A_PAGE = 50;
const MOST_ITEMS_IN_A_PAGE = 200;

/** What Fastify makes of a query string: an array where a name stands twice. */
export type Query = Record<string, string | string[]>;

/** The fields of a query string, read as those of a body are. */
export function queryFields(query: Query): Fields {
  return new Fields('', { ...query });
}

/** `limit` (1 to 200; 50 when absent) and `cursor`. @throws ProtocolError */
export function pageOf(query: Query): PageRequest {
  const fields = new Fields('', { ...query, ...('limit' in query && { limit: Number(query['limit']) }) });
  return {
    limit: fields.has('limit') ? fields.integer('limit', 1, MOST_ITEMS_IN_A_PAGE) : ITEMS_IN_A_PAGE,
    ...(fields.has('cursor') && { cursor: fields.string('cursor') }),
  };
}
