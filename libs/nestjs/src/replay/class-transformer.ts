import { defineData, isPlainObject } from './plain-data.js';
import type { ArgumentClass, TypeStorage } from './property-types.js';

/** The part of class-transformer that is used. */
export interface Transformer {
  plainToInstance(type: ArgumentClass, plain: object): object;
}

interface StorageModule {
  readonly defaultMetadataStorage: TypeStorage;
}

/** Returns `undefined` if class-transformer is not installed. */
export function loadTransformer(): Promise<Transformer | undefined> {
  return loadOptional(() => import('class-transformer') as Promise<Transformer>);
}

/** The metadata of its decorators. Its index does not export them; Nest's mapped types read this file too. */
export function loadTypeStorage(): Promise<TypeStorage | undefined> {
  return loadOptional(async () => {
    // @ts-expect-error: the file has no types of its own
    const storage = (await import('class-transformer/cjs/storage.js')) as StorageModule & {
      default?: StorageModule;
    };
    // In ES modules built by esbuild, CommonJS has only a default export.
    return (storage.default ?? storage).defaultMetadataStorage;
  });
}

async function loadOptional<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}

/**
 * Converts plain data to an instance of the class. Maps, sets, URLs and instances of classes, which class-transformer would
 * copy or empty, stay the same objects.
 */
export function transformPlain(transformer: Transformer, type: ArgumentClass, plain: object): object {
  const kept = new Map<unknown, unknown>();
  const made = transformer.plainToInstance(type, shield(plain, kept) as object);
  if (kept.size > 0) unshield(made, kept, new Set());
  return made;
}

/** Copies the value and replaces what must stay by functions, because class-transformer passes only functions on unchanged. */
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
