/**
 * Each library's current span when a span of ours opened, by the library's adapter: by it a later span tells which of
 * the two is nearer.
 */
export type AmbientIds = ReadonlyMap<object, string>;
