import type { JsonValue } from '@dacapo/protocol';
import { type Kept, maskPieces } from './pieces.js';

const BODY = /[{[].*[}\]]/;
const NO_BYTES: ReadonlySet<string> = new Set();

/**
 * Masks secrets that are split across the events of a text: server-sent events (`data: {…}`) or lines of JSON, as model APIs stream
 * them.
 *
 * @param kept the range of characters to keep
 */
export function maskEvents(text: string, mask: (text: string) => string, { from, to }: Kept): string {
  const lines = text.split('\n');
  let next = 0;
  const events = lines.flatMap((line, at) => {
    const start = next;
    next += line.length + 1;
    const json = parseEvent(line);
    return json === undefined ? [] : [{ at, start, end: next, json, bytes: NO_BYTES }];
  });
  // A partly kept event counts as kept.
  const kept = {
    from: events.filter(({ end }) => end <= from).length,
    to: events.filter(({ start }) => start < to).length,
  };
  const masked = events.length > 1 ? maskPieces(events, mask, undefined, kept) : undefined;
  if (masked === undefined) return text;
  for (const [index, { at }] of events.entries()) {
    const [line = '', json] = [lines[at], JSON.stringify(masked.items[index])];
    // An event without a secret keeps its exact text, including spaces and number formats.
    if (JSON.stringify(parseEvent(line)) !== json) lines[at] = line.replace(BODY, () => json);
  }
  return lines.join('\n');
}

function parseEvent(line: string): JsonValue | undefined {
  const body = line.replace(/^data:/, '').trim();
  if (!/^[{[]/.test(body)) return undefined;
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
}
