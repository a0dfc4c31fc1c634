/** Roles of a member, from fewest to most permissions. */
export const ROLES = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];
