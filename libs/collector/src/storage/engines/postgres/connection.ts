import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { CollectorError, StorageError } from '../../../errors.js';
import { PostgresTransaction } from './meta-transaction.js';

/** Numbers of the schema are safe integers, and bytes are an `ArrayBuffer`, as from the other engines. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.BYTEA, (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')).buffer],
]);

const TYPES: CustomTypesConfig = {
  getTypeParser: (type, format) => PARSERS.get(type) ?? (types.getTypeParser(type, format) as unknown),
};

/** A request that waits longer for a connection is refused, and its client tries again. */
const CONNECT_TIMEOUT_MS = 15_000;
/** A server whose machine is gone is noticed after this time without an answer, and some probes. */
const KEEP_ALIVE_MS = 20_000;
const PAUSE_MS = 10;
/** How often a transaction is tried that another one got in the way of: by a change, a deadlock, or a row with the same key. */
const TRIES: Readonly<Record<string, number>> = { '40001': 20, '40P01': 20, '23505': 3 };

const CURE = 'See that PostgreSQL runs, accepts connections and has room.';

interface PoolOptions {
  /** At most. More statements wait for one another. */
  connections: number;
  /** Runs on each new connection. */
  settings?: string;
}

type Work<T> = (db: PostgresTransaction) => Promise<T>;

/** Connections to one database. */
export class PostgresConnection {
  /** Not a TypeScript-only private field: the pool knows the address with its password, and printing a store must not show it. */
  readonly #pool: Pool;

  /** @param address `postgres://…`, or one of node-postgres's options as a connection string */
  constructor(address: string, { connections, settings }: PoolOptions) {
    this.#pool = new Pool({
      connectionString: address,
      max: connections,
      types: TYPES,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...(settings !== undefined && {
        verify: (client, done) => {
          client.query(settings).then(() => {
            done();
          }, done);
        },
      }),
    });
    // Without a listener, a connection that is lost while nobody uses it ends the process.
    this.#pool.on('error', () => undefined);
  }

  /** @throws StorageError */
  async all<R extends object>(text: string, values: readonly unknown[]): Promise<R[]> {
    try {
      return (await this.#pool.query<R>(text, [...values])).rows;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Runs work that locks what it reads, in one READ COMMITTED transaction, and again if another one came in between. @throws StorageError */
  transact<T>(work: Work<T>): Promise<T> {
    return this.repeat(work, 'READ COMMITTED');
  }

  /** Runs work in one SERIALIZABLE transaction, and again if another one came in between. @throws StorageError */
  serialize<T>(work: Work<T>): Promise<T> {
    return this.repeat(work, 'SERIALIZABLE');
  }

  /** @throws StorageError when there is no connection, and what the work throws */
  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
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
    await this.#pool.end();
  }

  private async repeat<T>(work: Work<T>, isolation: string): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.withClient((client) => transactOnce(client, work, isolation));
      } catch (error) {
        if (tries >= (TRIES[readErrorCode(error)] ?? 1)) throw toStorageError(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * tries));
      }
    }
  }
}

async function transactOnce<T>(client: PoolClient, work: Work<T>, isolation: string): Promise<T> {
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
  try {
    const result = await work(new PostgresTransaction(client));
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

/** @returns an error of this package, or one that says that the program is wrong, as it is */
function toStorageError(error: unknown): Error {
  if (error instanceof TypeError || error instanceof CollectorError) return error;
  // Where a name has several addresses, the error of all of them has no message.
  const message = error instanceof Error ? error.message || readErrorCode(error) : String(error);
  return new StorageError(message, error, CURE);
}
