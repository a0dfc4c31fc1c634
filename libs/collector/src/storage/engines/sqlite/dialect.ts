import type { Dialect } from '../../meta/dialect.js';

const elements = (parameter: string): string => `json_each(${parameter})`;

export const SQLITE_DIALECT: Dialect = {
  join: 'CROSS JOIN',
  indexedBy: (index) => `INDEXED BY ${index}`,
  texts: elements,
  numbers: elements,
  pairs: (parameter, [first, second]) =>
    `(SELECT value ->> 0 AS ${first}, value ->> 1 AS ${second} FROM json_each(${parameter}))`,
  objects: (column, name) => `json_each(${column}, '$.${name}')`,
  text: (column, path) => `(${column} ->> '$.${path}')`,
  number: (column, path) =>
    `(CASE WHEN json_type(${column}, '$.${path}') IN ('integer', 'real', 'true', 'false') THEN ${column} ->> '$.${path}' END)`,
  json: (column, name) => `(${column} -> '$.${name}')`,
  isAmong: (column, name, parameter) =>
    `${column} -> '$.${name}' IN (SELECT value FROM json_each(${parameter}))`,
  without: (column, paths) => `json_remove(${column}, ${paths.map((path) => `'$.${path}'`).join(', ')})`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  rows: (values) => `json_group_array(json_array(${values}))`,
  giveOutBehind: () => undefined,
};
