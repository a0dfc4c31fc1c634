import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { StorageError } from '../../../errors.js';

/** Numbers of the schema are safe integers, and bytes are an `ArrayBuffer`, as from the other engines. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.BYTEA, (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')).buffer],
]);

const TYPES: CustomTypesConfig = {
  getTypeParser: (type, format) => PARSERS.get(type) ?? (types.getTypeParser(type, format) as unknown),
};

/** More than this many transactions wait for one another instead. */
const CONNECTIONS = 10;
const PAUSE_MS = 10;
/** How often a transaction is tried that another one got in the way of: by a change, a deadlock, or a row with the same key. */
const TRIES: Readonly<Record<string, number>> = { '40001': 20, '40P01': 20, '23505': 3 };

const CURE = 'See that PostgreSQL runs, accepts connections and has room.';

/** Connections to one database. */
export class PostgresConnection {
  private constructor(private readonly pool: Pool) {}

  /** @param address `postgres://…`, or one of node-postgres's options as a connection string */
  static open(address: string): PostgresConnection {
    const pool = new Pool({ connectionString: address, max: CONNECTIONS, types: TYPES });
    // Without a listener, a connection that is lost while nobody uses it ends the process.
    pool.on('error', () => undefined);
    return new PostgresConnection(pool);
  }

  /** @throws StorageError */
  async all<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    try {
      return (await this.pool.query<R>(text, [...values])).rows;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /**
   * Runs work in one transaction, and again when another one came in between.
   *
   * @param isolation READ COMMITTED for work that locks what it reads
   * @throws StorageError
   */
  async transact<T>(
    work: (client: PoolClient) => Promise<T>,
    isolation: 'SERIALIZABLE' | 'READ COMMITTED' = 'SERIALIZABLE',
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.withClient((client) => transactOnce(client, work, isolation));
      } catch (error) {
        if (tries >= (TRIES[readErrorCode(error)] ?? 1)) throw toStorageError(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * tries));
      }
    }
  }

  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let lost: Error | undefined;
    // Without a listener, a connection that is lost between two statements ends the process.
    const lose = (error: Error): void => {
      lost = error;
    };
    client.on('error', lose);
    try {
      return await work(client);
    } finally {
      client.off('error', lose);
      client.release(lost);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

async function transactOnce<T>(
  client: PoolClient,
  work: (client: PoolClient) => Promise<T>,
  isolation: string,
): Promise<T> {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
  try {
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function readErrorCode(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Thrown in a transaction that has to run again. */
export class ChangedMeanwhileError extends Error {
  readonly code = '40001';
}

function toStorageError(error: unknown): Error {
  if (error instanceof TypeError || error instanceof StorageError) return error;
  return new StorageError(error instanceof Error ? error.message : String(error), error, CURE);
}
