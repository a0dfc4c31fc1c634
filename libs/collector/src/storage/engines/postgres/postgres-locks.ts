import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { Locks } from '../../coordination/locks.js';
import type { PostgresConnection } from './connection.js';

const PAUSE_MS = 250;

/** PostgreSQL releases the locks of an unreachable machine after these probes, within a minute. */
const KEEP_ALIVE =
  'SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3';

const LOCK = 'SELECT pg_try_advisory_lock(hashtextextended($1, 2)) AS is_mine';
const UNLOCK = 'SELECT pg_advisory_unlock(hashtextextended($1, 2))';

/** Locks that end with their connection, so those of a killed process are free at once. */
export class PostgresLocks extends Locks {
  constructor(private readonly connection: PostgresConnection) {
    super();
  }

  async exclusively<T>(
    name: string,
    work: (lost: AbortSignal) => Promise<T>,
    stopping?: AbortSignal,
  ): Promise<T | undefined> {
    while (stopping?.aborted !== true) {
      const done = await this.connection.withClient((client) => tryLocked(client, name, work));
      if (done !== undefined) return done.result;
      await sleep(PAUSE_MS, undefined, { ref: false, ...(stopping && { signal: stopping }) }).catch(
        () => undefined,
      );
    }
    return undefined;
  }
}

/** @returns `undefined` while another process has the lock */
async function tryLocked<T>(
  client: PoolClient,
  name: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<{ result: T } | undefined> {
  const lost = new AbortController();
  const lose = (): void => {
    lost.abort();
  };
  client.on('error', lose);
  try {
    await client.query(KEEP_ALIVE);
    const { rows } = await client.query<{ is_mine: boolean }>(LOCK, [name]);
    if (rows[0]?.is_mine !== true) return undefined;
    try {
      return { result: await work(lost.signal) };
    } finally {
      // A lost connection has no lock to release, and the work is done anyway.
      if (!lost.signal.aborted) await client.query(UNLOCK, [name]).catch(() => undefined);
    }
  } finally {
    client.off('error', lose);
  }
}
