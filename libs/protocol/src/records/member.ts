/** What a member is, from the one who may least up. */
export const ROLES = ['viewer', 'developer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A person who signs in to the dashboard of the account. */
export interface Member {
  id: string;
  name: string;
  role: Role;
}
