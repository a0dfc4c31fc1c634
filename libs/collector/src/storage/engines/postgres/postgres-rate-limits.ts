import { burstSize, RateLimits, secondsUntilToken } from '../../coordination/rate-limits.js';
import type { PostgresConnection } from './connection.js';

/** Unlogged: a crash of PostgreSQL fills the buckets, like a restart of a collector without it. */
export const TOKENS_TABLE = `CREATE UNLOGGED TABLE request_tokens(
  key_id TEXT COLLATE "C" PRIMARY KEY, tokens DOUBLE PRECISION NOT NULL, filled_us BIGINT NOT NULL)`;

const CAPACITY = '$2::double precision';
const TOKENS = `least(${CAPACITY}, b.tokens + greatest(0, $4::bigint - b.filled_us) * $3::double precision)`;

/** Inserts or updates a row only if there is a token. */
const TAKE = `INSERT INTO request_tokens AS b(key_id, tokens, filled_us) VALUES ($1, ${CAPACITY} - 1, $4::bigint)
  ON CONFLICT (key_id) DO UPDATE SET tokens = ${TOKENS} - 1, filled_us = greatest(b.filled_us, $4::bigint)
    WHERE ${TOKENS} >= 1
  RETURNING 1`;

const LEFT = `SELECT ${TOKENS} AS tokens FROM request_tokens b WHERE key_id = $1`;

/** Counts the requests of a key to all collectors, with one statement for each request of a limited key. */
export class PostgresRateLimits extends RateLimits {
  constructor(private readonly connection: PostgresConnection) {
    super();
  }

  async take(keyId: string, requestsPerMinute: number, nowUs: number): Promise<number> {
    const perUs = requestsPerMinute / 60e6;
    const values = [keyId, burstSize(requestsPerMinute), perUs, nowUs];
    const taken = await this.connection.all(TAKE, values);
    if (taken.length > 0) return 0;
    const [left] = await this.connection.all<{ tokens: number }>(LEFT, values);
    return secondsUntilToken(Math.min(1, left?.tokens ?? 0), perUs * 1e6);
  }
}
