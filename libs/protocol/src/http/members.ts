import type { Member, Role } from '../records/member.js';
import { type Scope, SCOPES } from './api-keys.js';

/**
 * A viewer sees and searches all that is stored. A developer replays, makes datasets, gives scores and accepts outcomes too. An
 * admin does everything: keys, members, indexes, deleting.
 */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  developer: ['ingest', 'read', 'replay'],
  admin: SCOPES,
};

/** What the sign-in code of a member begins with. */
export const SIGN_IN_CODE_PREFIX = 'dcm_';

/** How long a link for a member works, in seconds: unless its maker says otherwise, and at most. */
export const DEFAULT_LINK_LIFE_S = 7 * 24 * 3600;
export const LONGEST_LINK_LIFE_S = 30 * 24 * 3600;

export interface MemberSummary extends Member {
  created_at: string;
  /** When the first link was used; absent of one who is invited only. */
  joined_at?: string;
  /** There is a link that was not used, which works until then. In the past: it works no more. */
  link_expires_at?: string;
}

/** `POST` {@link ROUTES.members}: invites a member. */
export interface InviteMemberRequest {
  /** No other member of the account has it, in whatever case. At most `LIMITS.memberNameLength` characters. */
  name: string;
  /** Nobody gives a role that may more than he may. */
  role: Role;
  /** How long the link works, in seconds, up to 30 days; 7 days when absent. */
  expires_in_s?: number;
}

/** `POST` {@link ROUTES.memberRole} */
export interface ChangeRoleRequest {
  role: Role;
}

/** `POST` {@link ROUTES.memberLink}: makes another link for a member, who lost the first one or the sign-in code. */
export interface NewMemberLinkRequest {
  /** As in {@link InviteMemberRequest}. */
  expires_in_s?: number;
}

export interface MemberLink extends MemberSummary {
  link_expires_at: string;
  /** Works once, and is shown this once. What it needs is behind the `#`, which no browser sends to a server. */
  link: string;
}

/** `POST` {@link ROUTES.join}: what the page behind a link sends. */
export interface JoinRequest {
  /** What is behind the `#` of the link. */
  token: string;
}

/** The browser is signed in as this member. */
export interface JoinAnswer {
  member: Member;
  account: { id: string; name: string };
  /** Signs the member in from now on, and is shown this once. */
  sign_in_code: string;
}
