/** A service that asks for more than this is asked again all the same. */
const LONGEST_MS = 5 * 60_000;

/**
 * Reads a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, or an HTTP date.
 *
 * @returns milliseconds from now, at most five minutes; `undefined` when the header is absent or says neither
 */
export function parseRetryAfter(header: string | undefined, epochMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.min(Math.max(date - epochMs, 0), LONGEST_MS);
}
