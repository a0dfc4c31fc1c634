import { randomIds } from './random-ids.js';

const next = randomIds('xxxxxxxxxxxxxxxx');
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** A new span id: 16 hex digits, never all zero (W3C Trace Context §3.2.2.4). */
export function newSpanId(): string {
  const id = next();
  return id === '0000000000000000' ? newSpanId() : id;
}

export function isSpanId(text: string): boolean {
  return SPAN_ID.test(text);
}
