import { type CustomTypesConfig, Pool, type PoolClient, types } from 'pg';
import { CollectorError, StorageError } from '../../../errors.js';
import { PostgresTransaction } from './meta-transaction.js';

/** All numbers of the schema are safe integers. Bytes become an `ArrayBuffer`, as with other engines. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.BYTEA, (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')).buffer],
]);

const TYPES: CustomTypesConfig = {
  getTypeParser: (type, format) => PARSERS.get(type) ?? (types.getTypeParser(type, format) as unknown),
};

/** A request that waits longer for a connection gets an error, and its client tries again. */
const CONNECT_TIMEOUT_MS = 15_000;
/** After this time without an answer, probes detect a server whose machine is unreachable. */
const KEEP_ALIVE_MS = 20_000;
const PAUSE_MS = 10;
/** The number of tries after a conflict with another transaction, by SQLSTATE: a change, a deadlock, a row with the same key. */
const TRIES: Readonly<Record<string, number>> = { '40001': 20, '40P01': 20, '23505': 3 };

const CURE = 'Check that PostgreSQL runs, accepts connections and has disk space.';

interface PoolOptions {
  /** Maximum number. Further statements wait. */
  connections: number;
  /** SQL that runs on each new connection. */
  settings?: string;
}

type Work<T> = (db: PostgresTransaction) => Promise<T>;

/** A pool of connections to one database. */
export class PostgresConnection {
  /** A `#private` field, because the pool knows the password, and printing a store must not show it. */
  readonly #pool: Pool;
  private repeats: Promise<unknown> = Promise.resolve();

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
    // Without a listener, a lost idle connection ends the process.
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

  /** Runs work that locks what it reads, in one READ COMMITTED transaction. Repeats it after a conflict. @throws StorageError */
  transact<T>(work: Work<T>): Promise<T> {
    return this.repeat(work, 'READ COMMITTED');
  }

  /** Runs work in one SERIALIZABLE transaction. Repeats it after a conflict. @throws StorageError */
  serialize<T>(work: Work<T>): Promise<T> {
    return this.repeat(work, 'SERIALIZABLE');
  }

  /** @throws StorageError if there is no connection, and whatever the work throws */
  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    let lost: Error | undefined;
    // Without a listener, a connection lost between two statements ends the process.
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
    const run = (): Promise<T> => this.withClient((client) => transactOnce(client, work, isolation));
    for (let tries = 1; ; tries++) {
      try {
        return await (tries === 1 ? run() : this.inTurn(run));
      } catch (error) {
        if (tries >= (TRIES[readErrorCode(error)] ?? 1)) throw toStorageError(error);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * tries));
      }
    }
  }

  /** Repeats of this process run one at a time. Otherwise large batches could get in each other's way until all have failed. */
  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.repeats.then(run);
    this.repeats = turn.catch(() => undefined);
    return turn;
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

/** Thrown in a transaction to repeat it. */
export class ChangedMeanwhileError extends Error {
  readonly code = '40001';
}

/** @returns an error of this package; a programming error stays unchanged */
function toStorageError(error: unknown): Error {
  if (error instanceof TypeError || error instanceof CollectorError) return error;
  // If a name has several addresses, the joint error has no message.
  const message = error instanceof Error ? error.message || readErrorCode(error) : String(error);
  return new StorageError(message, error, CURE);
}
