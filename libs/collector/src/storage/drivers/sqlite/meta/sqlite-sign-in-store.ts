import { parseTimestamp } from '@dacapo/protocol';
import type { SignInStore } from '../../../meta-store.js';
import type { Connection } from '../connection.js';

export class SqliteSignInStore implements SignInStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {}

  async addToken(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO sign_in_tokens(hash, account_id, expires_us) VALUES (?, ?, ?)',
        rows: [[hash, accountId, parseTimestamp(expiresAt)]],
      },
    ]);
  }

  async takeToken(hash: Uint8Array, now: string): Promise<string | undefined> {
    const [outcome] = await this.writer.write([
      { sql: 'DELETE FROM sign_in_tokens WHERE hash = ? RETURNING account_id, expires_us', rows: [[hash]] },
    ]);
    const [row] = (outcome?.rows ?? []) as { account_id: string; expires_us: number }[];
    return row && row.expires_us > (parseTimestamp(now) ?? Infinity) ? row.account_id : undefined;
  }

  async addSession(hash: Uint8Array, accountId: string, expiresAt: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO browser_sessions(hash, account_id, expires_us) VALUES (?, ?, ?)',
        rows: [[hash, accountId, parseTimestamp(expiresAt)]],
      },
    ]);
  }

  async findSession(hash: Uint8Array, now: string): Promise<string | undefined> {
    const [row] = await this.reader.all<{ account_id: string }>(
      'SELECT account_id FROM browser_sessions WHERE hash = ? AND expires_us > ?',
      [hash, parseTimestamp(now)],
    );
    return row?.account_id;
  }

  async deleteSession(hash: Uint8Array): Promise<void> {
    await this.writer.write([{ sql: 'DELETE FROM browser_sessions WHERE hash = ?', rows: [[hash]] }]);
  }

  async deleteExpired(now: string): Promise<void> {
    await this.writer.write([
      { sql: 'DELETE FROM sign_in_tokens WHERE expires_us <= ?', rows: [[parseTimestamp(now)]] },
      { sql: 'DELETE FROM browser_sessions WHERE expires_us <= ?', rows: [[parseTimestamp(now)]] },
    ]);
  }
}
