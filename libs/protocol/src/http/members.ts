import { type Scope, SCOPES } from './api-keys.js';

/**
 * A viewer reads and searches all data. A developer also replays, creates datasets, adds scores, accepts outcomes, decides on
 * runs and activates versions of native functions. An admin also manages keys, members and indexes, and deletes data.
 */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  developer: ['ingest', 'read', 'replay'],
  admin: SCOPES,
};

/** Prefix of a member's sign-in code. */
export const SIGN_IN_CODE_PREFIX = 'dcm_';

/** Default and maximum lifetime of a member's link, in seconds. */
export const DEFAULT_LINK_LIFE_S = 7 * 24 * 3600;
export const LONGEST_LINK_LIFE_S = 30 * 24 * 3600;

/** Roles of a member, from fewest to most permissions. */
export const ROLES = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];
