const POOL_BYTES = 4096;
/** Ids are slices of one string of this many ids, and each keeps the whole string in memory. */
const IDS_A_TEXT = 32;

const pool = new Uint8Array(POOL_BYTES);
let nextByte = POOL_BYTES;
const decoder = new TextDecoder();
const DIGITS = new TextEncoder().encode('0123456789abcdef');

/**
 * Returns a generator of ids. Each `x` in `shape` becomes a random lower-case hex digit from the platform's cryptographic
 * source; their number must be even.
 *
 * Generates ids in batches, because a call to the source and a new string cost more than the digits.
 */
function randomIds(shape: string): () => string {
  const all = shape.repeat(IDS_A_TEXT);
  const characters = new TextEncoder().encode(all);
  const places = Uint16Array.from(all.matchAll(/x/g), ({ index }) => index);
  const { length } = shape;
  let text = '';
  let next = 0;
  return () => {
    if (next === text.length) {
      let byte = takeRandom(places.length / 2);
      for (let i = 0; i < places.length; i += 2) {
        const random = pool[byte++] as number;
        characters[places[i] as number] = DIGITS[random >> 4] as number;
        characters[places[i + 1] as number] = DIGITS[random & 0x0f] as number;
      }
      text = decoder.decode(characters);
      next = 0;
    }
    return text.slice(next, (next += length));
  };
}

/** @returns offset in the pool of this many unused random bytes */
function takeRandom(bytes: number): number {
  if (nextByte + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool);
    nextByte = 0;
  }
  const start = nextByte;
  nextByte += bytes;
  return start;
}

const nextSpanId = randomIds('xxxxxxxxxxxxxxxx');
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;

/** A new span id: 16 hex digits, never all zero (W3C Trace Context §3.2.2.4). */
export function newSpanId(): string {
  const id = nextSpanId();
  return id === '0000000000000000' ? newSpanId() : id;
}

export function isSpanId(text: string): boolean {
  return SPAN_ID.test(text);
}

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

/** Derives a UUID of version 8 (RFC 9562 §5.8) from a hash. @param hash at least 32 lower-case hex digits */
export function uuidFromHash(hash: string): string {
  const variant = '89ab'.charAt(parseInt(hash.charAt(16), 16) & 3);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-');
}
