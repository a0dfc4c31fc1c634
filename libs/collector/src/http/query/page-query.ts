import { Fields } from '@dacapo/protocol';
import type { PageRequest } from '../../cursor.js';
import { QUERIES } from './query-parameters.js';
import type { ScoreFilter } from '../../storage/score-log.js';

const { minimum, maximum, default: ITEMS_IN_A_PAGE } = QUERIES.page.limit;

/** What Fastify makes of a query string: an array where a name stands twice. */
export type Query = Record<string, string | string[]>;

/** The fields of a query string, read as those of a body are. */
export function queryFields(query: Query): Fields {
  return new Fields('', { ...query });
}

/** `limit` (1 to 200; 50 when absent) and `cursor`. @throws ProtocolError */
export function pageOf(query: Query): PageRequest {
  const fields = queryFields(query);
  return {
    limit: wholeOf(query, 'limit', minimum, maximum) ?? ITEMS_IN_A_PAGE,
    ...(fields.has('cursor') && { cursor: fields.string('cursor') }),
  };
}

/** A whole number; `undefined` when it is absent. @throws ProtocolError */
export function wholeOf(
  query: Query,
  name: string,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (!(name in query)) return undefined;
  return new Fields('', { [name]: Number(query[name]) }).integer(name, least, most);
}

/** `score` (a name), `score_below` and `score_above` (numbers, and then a name is needed). @throws ProtocolError */
export function scoreFilterOf(query: Query): { score?: ScoreFilter } {
  const fields = queryFields(query);
  const [below, above] = [numberOf(query, 'score_below'), numberOf(query, 'score_above')];
  if (!fields.has('score')) {
    if (below !== undefined || above !== undefined)
      fields.fail('score', 'must name the score that has bounds');
    return {};
  }
  return {
    score: {
      name: fields.string('score'),
      ...(below !== undefined && { below }),
      ...(above !== undefined && { above }),
    },
  };
}

/** A number; `undefined` when it is absent. @throws ProtocolError */
export function numberOf(query: Query, name: string): number | undefined {
  if (!(name in query)) return undefined;
  const text = queryFields(query).string(name);
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number)
    ? number
    : queryFields(query).fail(name, `must be a number, not ${JSON.stringify(text)}`);
}

/** `true` or `false`; false when it is absent. @throws ProtocolError */
export function flagOf(query: Query, name: string): boolean {
  const fields = queryFields(query);
  return fields.has(name) && fields.oneOf(name, ['true', 'false']) === 'true';
}
