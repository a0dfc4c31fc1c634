/**
 * Permissions of a key:
 *
 * - `ingest` sends spans, traces and scores.
 * - `read` reads and searches stored data.
 * - `replay` replays recorded calls and writes runs, accepted outcomes and datasets. It includes `ingest` and `read`.
 * - `manage` creates and revokes keys, changes indexes and native functions, decides on runs, and deletes data.
 */
export const SCOPES = ['ingest', 'read', 'replay', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a key with `scopes` has the permission `needed`. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  // A replay reads recorded calls and records the new ones.
  const isOfReplay = needed === 'ingest' || needed === 'read';
  return scopes.includes(needed) || (isOfReplay && scopes.includes('replay'));
}

/**
 * Whether a caller may change the result of a stored gate: a member who may replay, or a key with the scope `manage`. A key for
 * replays is not enough, because CI has one.
 */
export function mayDecide({ scopes, member }: { scopes: readonly Scope[]; member?: object }): boolean {
  return allows(scopes, 'manage') || (member !== undefined && allows(scopes, 'replay'));
}

/** The highest rate limit that a key can have. */
export const MOST_REQUESTS_PER_MINUTE = 1_000_000;

/** How long a rotated key keeps working, in seconds. */
export const DEFAULT_OVERLAP_S = 24 * 3600;
export const LONGEST_OVERLAP_S = 30 * 24 * 3600;
