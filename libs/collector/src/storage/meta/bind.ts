import type { Parameters, SqlParameter, SqlValue } from './transaction.js';

/** The values of a statement by name: see {@link bindNames}. */
export type NamedValues = Readonly<Record<string, SqlValue>>;

/** A parameter in a statement; two colons are a cast. */
export const PARAMETER = /(?<!:):([a-z]\w*)/gi;

/**
 * The driver aborts the process on a boolean and cuts a text at its first NUL: neither may reach it.
 * NUL becomes U+FFFD, as in a text that is no valid UTF-8.
 */
export function toSqlValue(parameter: SqlParameter): SqlValue {
  if (typeof parameter === 'string') {
    return parameter.includes('\0') ? parameter.replaceAll('\0', '\uFFFD') : parameter;
  }
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  return parameter ?? null;
}

/**
 * The values that a statement names.
 *
 * @throws TypeError when one is missing, which SQLite would take for NULL
 */
export function bindNames(sql: string, parameters: Parameters): NamedValues {
  const values: Record<string, SqlValue> = {};
  for (const [, name = ''] of sql.matchAll(PARAMETER)) {
    if (!(name in parameters)) throw new TypeError(`No value for :${name} in ${sql}`);
    values[name] = toSqlValue(parameters[name]);
  }
  return values;
}
