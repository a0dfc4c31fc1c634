import type { Parameters, SqlParameter, SqlValue } from './transaction.js';

/** The values of a statement by name; see {@link bindNames}. */
export type NamedValues = Readonly<Record<string, SqlValue>>;

/** A parameter in a statement; two colons are a cast. */
export const PARAMETER = /(?<!:):([a-z]\w*)/gi;

/**
 * Replaces booleans, on which the driver aborts the process, and NUL, at which it cuts a text. NUL becomes U+FFFD, like invalid
 * UTF-8.
 */
export function toSqlValue(parameter: SqlParameter): SqlValue {
  if (typeof parameter === 'string') {
    return parameter.includes('\0') ? parameter.replaceAll('\0', '\uFFFD') : parameter;
  }
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  return parameter ?? null;
}

/**
 * Selects the values that a statement names.
 *
 * @throws TypeError when one is missing, because SQLite would bind NULL
 */
export function bindNames(sql: string, parameters: Parameters): NamedValues {
  const values: Record<string, SqlValue> = {};
  for (const [, name = ''] of sql.matchAll(PARAMETER)) {
    if (!(name in parameters)) throw new TypeError(`No value for :${name} in ${sql}`);
    values[name] = toSqlValue(parameters[name]);
  }
  return values;
}
