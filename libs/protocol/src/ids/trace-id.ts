import { randomIds } from './random-ids.js';

const TRACE_ID =
  /^(?!0{8}-0{4}-0{4}-0{4}-0{12})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const W3C_TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
/** Follows the timestamp: version, variant and 72 random bits. */
const nextTail = randomIds('7xxx-8xxx-xxxxxxxxxxxx');

/** Ids of one millisecond share the prefix. */
let prefixMs = NaN;
let prefix = '';

/** A new trace id: a UUID of version 7 (RFC 9562 §5.7), so that ids sort by their creation time in milliseconds. */
export function newTraceId(epochMs: number = Date.now()): string {
  if (epochMs !== prefixMs) {
    const time = epochMs.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-`;
    prefixMs = epochMs;
  }
  return prefix + nextTail();
}

/** Whether `text` is a UUID in lower case, of any version, since other systems may create ids. */
export function isTraceId(text: string): boolean {
  return TRACE_ID.test(text);
}

/** The W3C form of a trace id: the same 32 hex digits without dashes (W3C Trace Context §3.2.2.3). */
export function toW3cTraceId(traceId: string): string {
  return traceId.replaceAll('-', '');
}

/** The UUID form of a W3C trace id; `undefined` if `w3cTraceId` is invalid or all zero. */
export function fromW3cTraceId(w3cTraceId: string): string | undefined {
  if (!W3C_TRACE_ID.test(w3cTraceId)) return undefined;
  return w3cTraceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
