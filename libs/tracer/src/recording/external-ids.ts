import { fromW3cTraceId, isTraceId } from '@dacapo/protocol';
import { sha256 } from '../hashing.js';

/**
 * The trace id for another library's: the same UUID when it holds one, else one derived from it (RFC 9562 §5.8), so
 * that the same external trace always has the same id here.
 */
export function toTraceId(externalId: string): string {
  const digits = externalId.replace(/^[a-z]+[_-]/i, '').toLowerCase();
  if (isTraceId(digits)) return digits;
  return fromW3cTraceId(digits) ?? derivedUuid(externalId);
}

/** The span id for another library's: it can be told before the span was seen, so the order of events never matters. */
export function toSpanId(externalTraceId: string, externalId: string): string {
  const digits = sha256(`${externalTraceId}/${externalId}`).slice(0, 16);
  return /^0+$/.test(digits) ? '0000000000000001' : digits;
}

function derivedUuid(text: string): string {
  const digits = sha256(text);
  const variant = '89ab'.charAt(parseInt(digits.charAt(16), 16) & 3);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    variant + digits.slice(17, 20),
    digits.slice(20, 32),
  ].join('-');
}
