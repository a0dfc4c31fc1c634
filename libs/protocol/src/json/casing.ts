type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** A name of the API as the code writes it. */
export type CamelName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelName<Rest>>}`
  : Name;

/** Members that may be `undefined` are absent instead. */
type Defined<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** A record under the names of the API. */
export type SnakeCased<T> = {
  [Name in keyof Defined<T> as Name extends string ? SnakeName<Name> : Name]: Defined<T>[Name];
};

/** A record of the API under the names of the code. */
export type CamelCased<T> = {
  [Name in keyof Defined<T> as Name extends string ? CamelName<Name> : Name]: Defined<T>[Name];
};

/** A replay renames several records per item, so each name is computed once. */
const snakeNames = new Map<string, string>();
const camelNames = new Map<string, string>();
/** The API has a few hundred names, but a response may contain any. */
const MOST_CACHED_NAMES = 1000;

/** Renames the members: `durationMs` becomes `duration_ms`. Drops those that are `undefined`; values stay as they are. */
export function snakeCased<T extends object>(record: T): SnakeCased<T>;
export function snakeCased(record: object): object {
  return rename(record, snakeName, snakeNames);
}

/** Renames the members: `duration_ms` becomes `durationMs`. Drops those that are `undefined`; values stay as they are. */
export function camelCased<T extends object>(record: T): CamelCased<T>;
export function camelCased(record: object): object {
  return rename(record, camelName, camelNames);
}

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `duration_ms` as `durationMs`. */
export function camelName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function rename(record: object, toName: (name: string) => string, cache: Map<string, string>): object {
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue;
    let newName = cache.get(name);
    if (newName === undefined) {
      newName = toName(name);
      if (cache.size < MOST_CACHED_NAMES) cache.set(name, newName);
    }
    renamed[newName] = value;
  }
  return renamed;
}
