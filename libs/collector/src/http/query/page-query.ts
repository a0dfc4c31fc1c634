import { Fields } from '@dacapo/protocol';
import type { PageRequest } from '../../cursor.js';
import { QUERIES } from './query-parameters.js';
import type { ScoreFilter } from '../../storage/score-log.js';

type PageLimit = Record<'minimum' | 'maximum' | 'default', number>;

/** A query string as Fastify parses it: a name that occurs twice has an array. */
export type Query = Record<string, string | string[]>;

/** The fields of a query string, read as those of a body are. */
export function queryFields(query: Query): Fields {
  const { tags } = query;
  return new Fields('', { ...query, ...(typeof tags === 'string' && { tags: [tags] }) });
}

/** `limit` (1 to 200 and 50 when absent, unless the list has other bounds) and `cursor`. @throws ProtocolError */
export function pageOf(
  query: Query,
  { minimum, maximum, default: usual }: PageLimit = QUERIES.page.limit,
): PageRequest {
  const fields = queryFields(query);
  return {
    limit: wholeOf(query, 'limit', minimum, maximum) ?? usual,
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

/** `score` (a name), and of it `score_is`, `score_below` and `score_above`, which need it. @throws ProtocolError */
export function scoreFilterOf(query: Query): { score?: ScoreFilter } {
  const fields = queryFields(query);
  const [below, above] = [numberOf(query, 'score_below'), numberOf(query, 'score_above')];
  const is = fields.has('score_is') ? valuesMeant(fields.string('score_is')) : undefined;
  if (!fields.has('score')) {
    if ((below ?? above ?? is) !== undefined) {
      fields.fail('score', 'must name the score that is asked for: add score=<its name>');
    }
    return {};
  }
  return {
    score: {
      name: fields.string('score'),
      ...(is !== undefined && { is }),
      ...(below !== undefined && { below }),
      ...(above !== undefined && { above }),
    },
  };
}

/** A text in a query as JSON would have it: `5` is the text and the number, `"5"` the text alone, `gold` a text. */
export function valuesMeant(text: string): (string | number | boolean | null)[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [text];
  }
  if (typeof value === 'string') return [value];
  const isScalar = value === null || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? [text, value as number | boolean | null] : [text];
}

/** A number within bounds; `undefined` when it is absent. @throws ProtocolError */
export function numberOf(query: Query, name: string, least = -Infinity, most = Infinity): number | undefined {
  if (!(name in query)) return undefined;
  const fields = queryFields(query);
  const text = fields.string(name);
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) {
    fields.fail(name, `must be a number, not ${JSON.stringify(text)}`);
  }
  if (number < least) fields.fail(name, `must be at least ${least}, not ${number}`);
  if (number > most) fields.fail(name, `must be at most ${most}, not ${number}`);
  return number;
}

/** `true` or `false`; false when it is absent. @throws ProtocolError */
export function flagOf(query: Query, name: string): boolean {
  const fields = queryFields(query);
  return fields.has(name) && fields.oneOf(name, ['true', 'false']) === 'true';
}
