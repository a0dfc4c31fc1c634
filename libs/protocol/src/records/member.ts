/** Roles of a member, from fewest to most permissions. */
export const ROLES = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A person who signs in to the account's dashboard. */
export interface Member {
  id: string;
  name: string;
  role: Role;
}
