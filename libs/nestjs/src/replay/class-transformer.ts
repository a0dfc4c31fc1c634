import { defineData, isPlainObject } from './plain-data.js';
import type { ArgumentClass, TypeStorage } from './property-types.js';

/** The part of class-transformer that is used. */
export interface Transformer {
  plainToInstance(type: ArgumentClass, plain: object): object;
}

interface StorageModule {
  readonly defaultMetadataStorage: TypeStorage;
}

/** `undefined` where class-transformer is not installed. */
export function loadTransformer(): Promise<Transformer | undefined> {
  return optional(() => import('class-transformer') as Promise<Transformer>);
}

/** What its decorators noted. Its index does not export it; Nest's mapped types read it here too. */
export function loadTypeStorage(): Promise<TypeStorage | undefined> {
  return optional(async () => {
    // @ts-expect-error: the file has no types of its own
    const storage = (await import('class-transformer/cjs/storage.js')) as StorageModule & {
      default?: StorageModule;
    };
    // In ES modules that esbuild made, CommonJS has a default export alone.
    return (storage.default ?? storage).defaultMetadataStorage;
  });
}

async function optional<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}

/**
 * An instance of the class, of plain data. What class-transformer would make anew or empty is kept as it is: maps, sets,
 * URLs, instances of classes.
 */
export function transformPlain(transformer: Transformer, type: ArgumentClass, plain: object): object {
  const kept = new Map<unknown, unknown>();
  const made = transformer.plainToInstance(type, shield(plain, kept) as object);
  if (kept.size > 0) unshield(made, kept, new Set());
  return made;
}

/** A copy with functions in the place of what must be kept: these alone pass through as they are. */
function shield(value: unknown, kept: Map<unknown, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => shield(item, kept));
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shield(member, kept)]));
  if (value instanceof Date || Buffer.isBuffer(value)) return value;
  const token = (): unknown => value;
  kept.set(token, value);
  return token;
}

function unshield(value: unknown, kept: ReadonlyMap<unknown, unknown>, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (kept.has(member)) defineData(value, key, kept.get(member));
    else unshield(member, kept, seen);
  }
}
