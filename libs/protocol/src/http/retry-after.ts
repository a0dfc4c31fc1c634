/**
 * Parses a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, or an HTTP date.
 *
 * @param epochMs the current time
 * @returns the wait in milliseconds, without an upper limit and 0 for a past date; `undefined` if the header is absent or invalid
 */
export function parseRetryAfter(header: string | null | undefined, epochMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // `Date.parse` alone also accepts texts such as "-5", "1.5" and "2026-03-01".
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(date - epochMs, 0);
}
