import type { Dialect } from '../../meta/dialect.js';

/** See `dacapo_json` in the schema. */
const object = (column: string): string => `dacapo_json(${column})`;
const pathIn = (path: string): string => `'{${path.replaceAll('.', ',')}}'`;
const texts = (parameter: string): string => `jsonb_array_elements_text(CAST(${parameter} AS jsonb))`;

/** Compares with texts of a JSON list. As an array, each is looked up in an index, whatever the statistics of a growing table say. */
export const isOneOf = (column: string, parameter: string): string =>
  `${column} = ANY(ARRAY(SELECT value FROM ${texts(parameter)}))`;

export const POSTGRES_DIALECT: Dialect = {
  join: 'JOIN',
  indexedBy: () => '',
  texts,
  numbers: (parameter) => `(SELECT e.value::bigint AS value FROM ${texts(parameter)} e)`,
  pairs: (parameter, [first, second]) =>
    `(SELECT (e.value ->> 0)::bigint AS ${first}, (e.value ->> 1)::bigint AS ${second}
      FROM jsonb_array_elements(CAST(${parameter} AS jsonb)) e)`,
  objects: (column, name) =>
    `(SELECT e.value::text AS value FROM jsonb_array_elements(${object(column)} -> '${name}') e)`,
  text: (column, path) => `(${object(column)} #>> ${pathIn(path)})`,
  number: (column, path) => `dacapo_number(${object(column)} #> ${pathIn(path)})`,
  json: (column, name) => `((${object(column)} -> '${name}')::text)`,
  isAmong: (column, name, parameter) =>
    `${object(column)} -> '${name}' IN (SELECT ${object('v.value')} FROM ${texts(parameter)} v)`,
  without: (column, paths) => `((${[object(column), ...paths.map(pathIn)].join(' #- ')})::text)`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  rows: (values) => `coalesce(json_agg(json_build_array(${values})), '[]')::text`,
  giveOutBehind: (table, column) =>
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 1), max(${column}) IS NOT NULL) FROM ${table}`,
};
