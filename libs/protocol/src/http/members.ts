import type { Member, Role } from '../records/member.js';
import { type Scope, SCOPES } from './api-keys.js';

/**
 * A viewer reads and searches all data. A developer also replays, creates datasets, adds scores and accepts outcomes. An admin
 * also manages keys, members and indexes, and deletes data.
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

export interface MemberSummary extends Member {
  created_at: string;
  /** When the member used the first link. Absent until then. */
  joined_at?: string;
  /** When the member's unused link expires or expired. Absent without an unused link. */
  link_expires_at?: string;
}

/** `POST` {@link ROUTES.members}: invites a member. */
export interface InviteMemberRequest {
  /** Unique within the account, ignoring case. At most `LIMITS.memberNameLength` characters. */
  name: string;
  /** A caller can grant only roles without more permissions than its own. */
  role: Role;
  /** Lifetime of the link in seconds, up to 30 days. Default: 7 days. */
  expires_in_s?: number;
}

/** `POST` {@link ROUTES.memberRole} */
export interface ChangeRoleRequest {
  role: Role;
}

/** `POST` {@link ROUTES.memberLink}: creates another link for a member who lost the first one or the sign-in code. */
export interface NewMemberLinkRequest {
  /** Lifetime of the link in seconds, up to 30 days. Default: 7 days. */
  expires_in_s?: number;
}

export interface MemberLink extends MemberSummary {
  link_expires_at: string;
  /** Works once, and only this response contains it. The token follows the `#`, which browsers never send to a server. */
  link: string;
}

/** `POST` {@link ROUTES.join}: sent by the page that a link opens. */
export interface JoinRequest {
  /** The part of the link after the `#`. */
  token: string;
}

/** The member that the browser is now signed in as. */
export interface JoinAnswer {
  member: Member;
  account: { id: string; name: string };
  /** Signs the member in from now on. Only this response contains it. */
  sign_in_code: string;
}
