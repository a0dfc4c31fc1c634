import { isJsonObject, type JsonObject, type JsonValue } from '@dacapo/protocol';
import { formatBytes, formatCount } from '../../../shared/format/format-count.js';

const MAX_CHARACTERS = 200;

/** A note of the tracer in words, as far as it has the shape that is known; else its JSON. */
export function noteText(note: JsonValue): string {
  if (isJsonObject(note)) return cutText(note) ?? typeText(note) ?? shortened(JSON.stringify(note));
  return shortened(typeof note === 'string' ? note : JSON.stringify(note));
}

/** `first 128 of 2.9 MB` */
function cutText({ kept, bytes, ...counts }: JsonObject): string | undefined {
  if (typeof kept !== 'number') return undefined;
  if (typeof bytes === 'number') return `first ${formatCount(kept)} of ${formatBytes(bytes)}`;
  for (const unit of ['characters', 'items', 'properties']) {
    const count = counts[unit];
    if (typeof count === 'number') return `first ${formatCount(kept)} of ${formatCount(count)} ${unit}`;
  }
  return undefined;
}

/** `class Order`, `class Order with methods` */
function typeText({ type, class: name, methods, ...more }: JsonObject): string | undefined {
  const isKnown = typeof type === 'string' && typeof name === 'string' && Object.keys(more).length === 0;
  return isKnown ? shortened(`${type} ${name}${methods === true ? ' with methods' : ''}`) : undefined;
}

function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
