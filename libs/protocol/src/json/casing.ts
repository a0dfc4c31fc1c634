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

/** Renames the members: `durationMs` becomes `duration_ms`. Drops those that are `undefined`; values stay as they are. */
export function snakeCased<T extends object>(record: T): SnakeCased<T>;
export function snakeCased(record: object): object {
  return rename(record, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Renames the members: `duration_ms` becomes `durationMs`. Drops those that are `undefined`; values stay as they are. */
export function camelCased<T extends object>(record: T): CamelCased<T>;
export function camelCased(record: object): object {
  return rename(record, camelName);
}

/** `duration_ms` as `durationMs`. */
export function camelName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function rename(record: object, toName: (name: string) => string): object {
  const known = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [toName(name), value as unknown]));
}
