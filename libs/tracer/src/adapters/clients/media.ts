import { sha256 } from '../../hashing.js';
import { type Fields, isFields } from '../readers.js';

/** Messages are no deeper; what is, goes as it is. */
const DEEPEST = 12;
/** Shorter ones may be any word. */
const SHORTEST_BASE64 = 16;
const DATA_URL = /^data:([^;,]*)[^,]{0,200};base64,/;
const BASE64 = /^[\w+/-]+={0,2}$/;
/** Beside one of these, `data` is a medium. */
const MEDIA_TYPES = ['media_type', 'mime_type', 'mimeType', 'format'];
const BYTES = ['data', 'imageBytes', 'videoBytes', 'audioBytes', 'file_data'];

/**
 * A request, its images, sounds and files described in place of their bytes: type, size and a hash, which tells one from
 * another. What holds none stays the same object. Nothing is consumed: of a stream only its path is told.
 */
export function describeMedia(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return describeText(value);
  if (!isFields(value) || depth > DEEPEST) return value;
  if (Array.isArray(value)) return mapChanged(value, (item) => describeMedia(item, depth + 1));
  const described = describeBinary(value);
  if (described !== undefined) return described;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return describeFields(value, depth);
}

function describeFields(value: Fields, depth: number): Fields {
  let changed: Record<string, unknown> | undefined;
  const type = MEDIA_TYPES.map((name) => value[name]).find((name) => typeof name === 'string');
  for (const [name, member] of Object.entries(value)) {
    const described =
      isBase64(member) && BYTES.includes(name) && (type !== undefined || name !== 'data')
        ? summary(type ?? 'data', member)
        : describeMedia(member, depth + 1);
    if (described !== member) (changed ??= { ...value })[name] = described;
  }
  return changed ?? value;
}

function mapChanged(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = items.map(map);
  return mapped.some((item, index) => item !== items[index]) ? mapped : items;
}

function describeText(text: string): string {
  if (!text.startsWith('data:')) return text;
  const header = DATA_URL.exec(text.slice(0, 300));
  return header === null ? text : summary(header[1] || 'data', text.slice(header[0].length));
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length >= SHORTEST_BASE64 && BASE64.test(value.slice(0, 256));
}

function summary(type: unknown, base64: string): string {
  const bytes =
    Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
  return `[${String(type)}, ${bytes} bytes, sha256 ${sha256(base64).slice(0, 16)}]`;
}

/** Files, blobs, bytes, streams and answers of `fetch`; `undefined` for anything else. */
function describeBinary(value: Fields): unknown {
  if (value instanceof Uint8Array)
    return `[bytes, ${value.byteLength} bytes, sha256 ${sha256(value).slice(0, 16)}]`;
  if (typeof value['arrayBuffer'] === 'function') {
    const { name, type, size, url } = value;
    return knownMembers({ file: name, type, size, url });
  }
  if (typeof value['pipe'] === 'function') return knownMembers({ file: value['path'], stream: true });
  return undefined;
}

function knownMembers(members: Fields): Fields {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && !Number.isNaN(value),
    ),
  );
}
