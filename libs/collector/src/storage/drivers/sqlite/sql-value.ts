export type SqlValue = string | number | null | Uint8Array;
/** What a caller may pass; {@link toSqlValue} makes it what the driver takes. */
export type SqlParameter = SqlValue | boolean | undefined;

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
