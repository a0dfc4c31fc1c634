import { type Members, hasMembers } from '@dacapo/protocol';

/** Messages are not deeper; deeper values stay unchanged. */
const DEEPEST = 12;

/** Returns further facts about a file. */
type ReadBlob = (blob: Blob) => object;

/**
 * Replaces files, streams and responses of `fetch` in a request by their name, type and size. Reading their bytes would be asynchronous,
 * or would consume them. A request without any stays the same object.
 */
export function describeFiles(value: unknown, read?: ReadBlob, depth = 0): unknown {
  if (!hasMembers(value) || depth > DEEPEST) return value;
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

function describeFile(value: Members, read: ReadBlob | undefined): unknown {
  if (typeof value['arrayBuffer'] === 'function') {
    const { name, type, size, url } = value;
    if (!isBlob(value)) return describedMembers({ file: name, type, url });
    return describedMembers({ file: name, type, size, url, ...read?.(value) });
  }
  if (typeof value['pipe'] === 'function') return describedMembers({ file: value['path'], stream: true });
  return undefined;
}

/** A response of `fetch` has no size, and can be read once. */
function isBlob(value: Members): value is Members & Blob {
  return typeof value['size'] === 'number' && typeof value['stream'] === 'function';
}

function describedMembers(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && !Number.isNaN(value),
    ),
  );
}
