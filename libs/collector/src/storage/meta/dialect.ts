/**
 * SQL that engines write differently. Parameters include the colon: `:ids`. A column may be an expression. For methods that read
 * members, it is a JSON object as text.
 */
export interface Dialect {
  /** A join that reads the left table first. Without statistics, SQLite would begin with all rows of an account. */
  readonly join: string;
  /** A hint to use an index, if the engine supports hints. */
  indexedBy: (index: string) => string;
  /** A table with the column `value`: the texts of a JSON array. */
  texts: (parameter: string) => string;
  /** A table with the column `value`: the whole numbers of a JSON array. */
  numbers: (parameter: string) => string;
  /** A table with two columns: the pairs of whole numbers of a JSON array. */
  pairs: (parameter: string, columns: readonly [first: string, second: string]) => string;
  /** A table with the column `value`: the objects of the array in a member. */
  objects: (column: string, name: string) => string;
  /** A member as text, by a path such as `source.test_run_id`. */
  text: (column: string, path: string) => string;
  /** A member as a number, where a boolean is 1 or 0; NULL where it is neither. */
  number: (column: string, path: string) => string;
  /** A member as JSON text; NULL where there is none. */
  json: (column: string, name: string) => string;
  /** Whether a member is one of the values of a JSON array of JSON texts, by type and value. */
  isAmong: (column: string, name: string, parameter: string) => string;
  /** The object without these members, each a path such as `request.name`. */
  without: (column: string, paths: readonly string[]) => string;
  /** Whether a text contains another. */
  contains: (text: string, part: string) => string;
  /** An aggregate: the values of all rows as a JSON list of lists, as text. @param values column expressions, with commas in between */
  rows: (values: string) => string;
  /** A statement after which the engine assigns numbers greater than all in a column; `undefined` if it does so anyway. */
  giveOutBehind: (table: string, column: string) => string | undefined;
}
