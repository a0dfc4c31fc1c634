import type { Member, MemberSummary, Role } from '@dacapo/protocol';

export interface NewMember extends Member {
  accountId: string;
  /** What two names of one account must not have in common. */
  nameKey: string;
  createdAt: string;
}

export interface NewMemberLink {
  hash: Uint8Array;
  expiresAt: string;
}

/**
 * Members of accounts, and the one link that each may have in the place of another. Links and sign-in codes are known by the
 * SHA-256 of their secret. Times are as in records. Of an account's admins who have joined, one always stays.
 */
export interface MemberStore {
  /** Changes nothing when the account has as many members as it may, or one of that name. */
  invite(
    member: NewMember,
    link: NewMemberLink,
    most: number,
  ): Promise<'invited' | 'name_taken' | 'too_many'>;
  /** Puts a link in the place of the one before. @returns the member, if there is one */
  putLink(accountId: string, id: string, link: NewMemberLink): Promise<MemberSummary | undefined>;
  /**
   * Uses a link up: the member is known by this code from now on, and by no other, and his browser sessions end.
   *
   * @returns `undefined` when the link is unknown, used or expired
   */
  join(
    linkHash: Uint8Array,
    codeHash: Uint8Array,
    joinedAt: string,
  ): Promise<(Member & { accountId: string }) | undefined>;
  findByCode(codeHash: Uint8Array): Promise<(Member & { accountId: string }) | undefined>;
  /** The oldest first. */
  list(accountId: string): Promise<MemberSummary[]>;
  changeRole(accountId: string, id: string, role: Role): Promise<MemberChange>;
  /** The member's browser sessions end with it, and so does his link. */
  remove(accountId: string, id: string): Promise<MemberChange>;
}

export type MemberChange = 'done' | 'not_found' | 'last_admin';
