import {
  formatTimestamp,
  type Member,
  type MemberSummary,
  parseTimestamp,
  type Role,
} from '@dacapo/protocol';
import type { MemberChange, MemberStore, NewMember, NewMemberLink } from '../../../member-store.js';
import type { Connection, Reader, Row, Step, StepOutcome } from '../connection.js';

interface MemberRow {
  member_id: string;
  account_id: string;
  name: string;
  role: Role;
  created_us: number;
  joined_us: number | null;
  link_expires_us: number | null;
}

const COLUMNS = 'member_id, account_id, name, role, created_us, joined_us, link_expires_us';

/** Whether the account has another admin who has joined, or this member is none. */
const MAY_LEAVE = `(role <> 'admin' OR joined_us IS NULL OR EXISTS (SELECT 1 FROM members other
  WHERE other.account_id = members.account_id AND other.member_id <> members.member_id
    AND other.role = 'admin' AND other.joined_us IS NOT NULL))`;

export class SqliteMemberStore implements MemberStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async invite(
    { id, accountId, name, nameKey, role, createdAt }: NewMember,
    link: NewMemberLink,
    most: number,
  ): Promise<'invited' | 'name_taken' | 'too_many'> {
    const [outcome] = await this.writer.write([
      {
        sql: `INSERT INTO members(member_id, account_id, name, name_key, role, created_us, link_hash, link_expires_us)
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE (SELECT count(*) FROM members WHERE account_id = ?2) < ?9
          ON CONFLICT(account_id, name_key) DO NOTHING`,
        rows: [
          [
            ...[id, accountId, name, nameKey, role, parseTimestamp(createdAt)],
            ...[link.hash, parseTimestamp(link.expiresAt), most],
          ],
        ],
      },
    ]);
    if (outcome?.changes === 1) return 'invited';
    const taken = await this.reader.all('SELECT 1 FROM members WHERE account_id = ? AND name_key = ?', [
      accountId,
      nameKey,
    ]);
    return taken.length > 0 ? 'name_taken' : 'too_many';
  }

  async putLink(
    accountId: string,
    id: string,
    { hash, expiresAt }: NewMemberLink,
  ): Promise<MemberSummary | undefined> {
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE members SET link_hash = ?, link_expires_us = ? WHERE account_id = ? AND member_id = ?
          RETURNING ${COLUMNS}`,
        rows: [[hash, parseTimestamp(expiresAt), accountId, id]],
      },
    ]);
    const row = firstOf(outcome);
    return row && toSummary(row);
  }

  async join(
    linkHash: Uint8Array,
    codeHash: Uint8Array,
    joinedAt: string,
  ): Promise<(Member & { accountId: string }) | undefined> {
    const joinedUs = parseTimestamp(joinedAt);
    const [outcome] = await this.writer.write([
      {
        sql: `UPDATE members SET code_hash = ?1, joined_us = coalesce(joined_us, ?2), link_hash = NULL, link_expires_us = NULL
          WHERE link_hash = ?3 AND link_expires_us > ?2 RETURNING ${COLUMNS}`,
        rows: [[codeHash, joinedUs, linkHash]],
      },
      {
        sql: `DELETE FROM browser_sessions WHERE member_id = (SELECT member_id FROM members WHERE code_hash = ?)`,
        rows: [[codeHash]],
      },
    ]);
    const row = firstOf(outcome);
    return row && toMember(row);
  }

  async findByCode(codeHash: Uint8Array): Promise<(Member & { accountId: string }) | undefined> {
    const [row] = await this.reader.all<MemberRow>(`SELECT ${COLUMNS} FROM members WHERE code_hash = ?`, [
      codeHash,
    ]);
    return row && toMember(row);
  }

  async list(accountId: string): Promise<MemberSummary[]> {
    const rows = await this.reader.all<MemberRow>(
      `SELECT ${COLUMNS} FROM members WHERE account_id = ? ORDER BY created_us, member_id`,
      [accountId],
    );
    return rows.map(toSummary);
  }

  changeRole(accountId: string, id: string, role: Role): Promise<MemberChange> {
    const change = {
      sql: `UPDATE members SET role = ?3 WHERE account_id = ?1 AND member_id = ?2 AND (?3 = 'admin' OR ${MAY_LEAVE})`,
      rows: [[accountId, id, role]],
    };
    return this.change(accountId, id, [change]);
  }

  remove(accountId: string, id: string): Promise<MemberChange> {
    return this.change(accountId, id, [
      {
        sql: `DELETE FROM members WHERE account_id = ? AND member_id = ? AND ${MAY_LEAVE}`,
        rows: [[accountId, id]],
        mustChange: true,
      },
      { sql: 'DELETE FROM browser_sessions WHERE member_id = ?', rows: [[id]] },
    ]);
  }

  private async change(accountId: string, id: string, steps: Step[]): Promise<MemberChange> {
    const [outcome] = await this.writer.write(steps);
    if (outcome?.changes === 1) return 'done';
    const found = await this.reader.all('SELECT 1 FROM members WHERE account_id = ? AND member_id = ?', [
      accountId,
      id,
    ]);
    return found.length > 0 ? 'last_admin' : 'not_found';
  }
}

function firstOf(outcome: StepOutcome | undefined): MemberRow | undefined {
  const [row] = (outcome?.rows ?? []) as (Row & MemberRow)[];
  return row;
}

function toMember({
  member_id: id,
  account_id: accountId,
  name,
  role,
}: MemberRow): Member & { accountId: string } {
  return { id, accountId, name, role };
}

function toSummary(row: MemberRow): MemberSummary {
  return {
    ...{ id: row.member_id, name: row.name, role: row.role, created_at: formatTimestamp(row.created_us) },
    ...(row.joined_us !== null && { joined_at: formatTimestamp(row.joined_us) }),
    ...(row.link_expires_us !== null && { link_expires_at: formatTimestamp(row.link_expires_us) }),
  };
}
