import type { JsonValue } from '@dacapo/protocol';
import { maskPieces } from './pieces.js';

const BODY = /[{[].*[}\]]/;
const NO_BYTES: ReadonlySet<string> = new Set();

/**
 * Masks the secrets that the events of a text tell in pieces: of server-sent events (`data: {…}`) and of lines of JSON, as APIs stream the
 * words of a model.
 */
export function maskEvents(text: string, mask: (text: string) => string): string {
  const lines = text.split('\n');
  const events = lines.flatMap((line, at) => {
    const json = parseEvent(line);
    return json === undefined ? [] : [{ at, json, bytes: NO_BYTES }];
  });
  const masked = events.length > 1 ? maskPieces(events, mask) : undefined;
  if (masked === undefined) return text;
  for (const [index, { at }] of events.entries()) {
    const [line = '', json] = [lines[at], JSON.stringify(masked.items[index])];
    // An event without a secret keeps its spaces and its numbers as they are written.
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
