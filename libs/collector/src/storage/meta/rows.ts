import { formatTimestamp } from '@dacapo/protocol';

type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Removes members that are NULL. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}

/** @param us microseconds since the epoch */
export function timestampOrNull(us: number | null): string | null {
  return us === null ? null : formatTimestamp(us);
}

/** @returns null for NULL */
export function parseJson(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
