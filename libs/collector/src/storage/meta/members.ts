import {
  formatTimestamp,
  type Member,
  type MemberSummary,
  parseTimestamp,
  type Role,
} from '@dacapo/protocol';
import { timestampOrNull, withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

export interface NewMember extends Member {
  accountId: string;
  /** The form of the name that is unique in an account. */
  nameKey: string;
  createdAt: string;
}

export interface NewMemberLink {
  hash: Uint8Array;
  expiresAt: string;
}

export type MemberChange = 'done' | 'not_found' | 'last_admin';

interface MemberRow {
  member_id: string;
  account_id: string;
  name: string;
  role: Role;
  created_us: number;
  joined_us: number | null;
  link_expires_us: number | null;
}

const SELECT =
  'SELECT member_id, account_id, name, role, created_us, joined_us, link_expires_us FROM members';
const END_SESSIONS = 'DELETE FROM browser_sessions WHERE member_id = :id';

/**
 * Members of accounts, each with at most one link. Links and sign-in codes are stored as the SHA-256 of their secret. Times are as in
 * records. An account always keeps one admin who has joined.
 */
export class Members {
  static readonly writes = ['invite', 'putLink', 'join', 'changeRole', 'remove'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /** Changes nothing if the account has its maximum of members, or a member with that name. */
  async invite(
    { id, accountId, name, nameKey, role, createdAt }: NewMember,
    link: NewMemberLink,
    most: number,
  ): Promise<'invited' | 'name_taken' | 'too_many'> {
    const names = await this.db.all<{ name_key: string }>(
      'SELECT name_key FROM members WHERE account_id = :accountId',
      { accountId },
    );
    if (names.some(({ name_key }) => name_key === nameKey)) return 'name_taken';
    if (names.length >= most) return 'too_many';
    await this.db.insert('members', {
      member_id: id,
      account_id: accountId,
      name,
      name_key: nameKey,
      role,
      created_us: parseTimestamp(createdAt),
      link_hash: link.hash,
      link_expires_us: parseTimestamp(link.expiresAt),
    });
    return 'invited';
  }

  /** Replaces the member's link. @returns the member, if it exists */
  async putLink(
    accountId: string,
    id: string,
    { hash, expiresAt }: NewMemberLink,
  ): Promise<MemberSummary | undefined> {
    await this.db.run(
      `UPDATE members SET link_hash = :hash, link_expires_us = :expiresUs
        WHERE account_id = :accountId AND member_id = :id`,
      { accountId, id, hash, expiresUs: parseTimestamp(expiresAt) },
    );
    const row = await this.find(accountId, id);
    return row && toSummary(row);
  }

  /**
   * Uses a link: this code replaces the member's sign-in code, and the member's browser sessions end.
   *
   * @returns `undefined` if the link is unknown, used or expired
   */
  async join(
    linkHash: Uint8Array,
    codeHash: Uint8Array,
    joinedAt: string,
  ): Promise<(Member & { accountId: string }) | undefined> {
    const joinedUs = parseTimestamp(joinedAt);
    const row = await this.db.get<MemberRow>(
      `${SELECT} WHERE link_hash = :linkHash AND link_expires_us > :joinedUs`,
      { linkHash, joinedUs },
    );
    if (row === undefined) return undefined;
    const { member_id: id } = row;
    await this.db.run(
      `UPDATE members SET code_hash = :codeHash, joined_us = coalesce(joined_us, :joinedUs), link_hash = NULL,
        link_expires_us = NULL WHERE member_id = :id`,
      { id, codeHash, joinedUs },
    );
    await this.db.run(END_SESSIONS, { id });
    return toMember(row);
  }

  async findByCode(codeHash: Uint8Array): Promise<(Member & { accountId: string }) | undefined> {
    const row = await this.db.get<MemberRow>(`${SELECT} WHERE code_hash = :codeHash`, { codeHash });
    return row && toMember(row);
  }

  /** Oldest first. */
  async list(accountId: string): Promise<MemberSummary[]> {
    const sql = `${SELECT} WHERE account_id = :accountId ORDER BY created_us, member_id`;
    return (await this.db.all<MemberRow>(sql, { accountId })).map(toSummary);
  }

  async changeRole(accountId: string, id: string, role: Role): Promise<MemberChange> {
    const member = await this.find(accountId, id);
    if (member === undefined) return 'not_found';
    if (role !== 'admin' && (await this.isLastAdmin(member))) return 'last_admin';
    await this.db.run('UPDATE members SET role = :role WHERE member_id = :id', { id, role });
    return 'done';
  }

  /** Also ends the member's browser sessions and link. */
  async remove(accountId: string, id: string): Promise<MemberChange> {
    const member = await this.find(accountId, id);
    if (member === undefined) return 'not_found';
    if (await this.isLastAdmin(member)) return 'last_admin';
    await this.db.run('DELETE FROM members WHERE member_id = :id', { id });
    await this.db.run(END_SESSIONS, { id });
    return 'done';
  }

  private find(accountId: string, id: string): Promise<MemberRow | undefined> {
    return this.db.get(`${SELECT} WHERE account_id = :accountId AND member_id = :id`, { accountId, id });
  }

  /** Counts admins who joined, because an invited one may never do so. */
  private async isLastAdmin({
    member_id: id,
    account_id: accountId,
    role,
    joined_us,
  }: MemberRow): Promise<boolean> {
    if (role !== 'admin' || joined_us === null) return false;
    const other = await this.db.get(
      `${SELECT} WHERE account_id = :accountId AND member_id <> :id AND role = 'admin' AND joined_us IS NOT NULL`,
      { accountId, id },
    );
    return other === undefined;
  }
}

function toMember(row: MemberRow): Member & { accountId: string } {
  return { id: row.member_id, accountId: row.account_id, name: row.name, role: row.role };
}

function toSummary(row: MemberRow): MemberSummary {
  return withoutNulls({
    id: row.member_id,
    name: row.name,
    role: row.role,
    created_at: formatTimestamp(row.created_us),
    joined_at: timestampOrNull(row.joined_us),
    link_expires_at: timestampOrNull(row.link_expires_us),
  });
}
