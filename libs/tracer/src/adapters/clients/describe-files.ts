import { type Fields, isFields } from '../readers.js';

/** Messages are no deeper; what is, goes as it is. */
const DEEPEST = 12;

/** What else is known of a file. */
type ReadBlob = (blob: Blob) => Fields;

/**
 * A request whose files, streams and answers of `fetch` are described by name, type and size: to read their bytes takes a promise, or
 * takes them from the client. A request without any stays the same object.
 */
export function describeFiles(value: unknown, read?: ReadBlob, depth = 0): unknown {
  if (!isFields(value) || depth > DEEPEST) return value;
  if (Array.isArray(value)) return mapChanged(value, (item) => describeFiles(item, read, depth + 1));
  const described = describeFile(value, read);
  if (described !== undefined) return described;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const file = describeFiles(member, read, depth + 1);
    if (file !== member) (changed ??= { ...value })[name] = file;
  }
  return changed ?? value;
}

function mapChanged(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = items.map(map);
  return mapped.some((item, index) => item !== items[index]) ? mapped : items;
}

function describeFile(value: Fields, read: ReadBlob | undefined): unknown {
  if (typeof value['arrayBuffer'] === 'function') {
    const { name, type, size, url } = value;
    const content = read !== undefined && isBlob(value) ? read(value) : {};
    return knownMembers({ file: name, type, size, url, ...content });
  }
  if (typeof value['pipe'] === 'function') return knownMembers({ file: value['path'], stream: true });
  return undefined;
}

/** A response of `fetch` has no size, and can be read once. */
function isBlob(value: Fields): value is Fields & Blob {
  return typeof value['size'] === 'number' && typeof value['stream'] === 'function';
}

function knownMembers(members: Fields): Fields {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && !Number.isNaN(value),
    ),
  );
}
