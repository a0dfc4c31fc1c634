/** The members of an object of unknown shape. */
export type Members = Readonly<Record<string, unknown>>;

export function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** The members of an object; none for any other value. */
export function toMembers(value: unknown): Members {
  return hasMembers(value) ? value : {};
}

/** The items of a list; none for any other value. */
export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
