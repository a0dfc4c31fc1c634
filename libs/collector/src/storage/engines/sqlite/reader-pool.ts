import { Connection, type ConnectionOptions, type Reader, type Row } from './connection.js';
import { AccountQueue } from '../../../memory/account-queue.js';
import type { SqlParameter } from '../../meta/transaction.js';
import type { NamedValues } from '../../meta/bind.js';

/**
 * Connections that only read, each in a thread of its own. A call waits for the first that is free, and accounts take turns. An
 * account never uses all connections, so that its slow reads delay nobody else. One is open from the beginning, each other from when
 * a call finds none free: a thread takes time and memory.
 */
export class ReaderPool implements Reader {
  readonly connections: Connection[];
  private readonly free: Connection[];
  private readonly waiting = new AccountQueue<(connection: Connection) => void>();
  private readonly used = new Map<string, number>();
  private readonly opening = new Set<Promise<void>>();
  private isClosed = false;

  private constructor(
    first: Connection,
    private limit: number,
    private readonly openOne: () => Promise<Connection>,
  ) {
    this.connections = [first];
    this.free = [first];
  }

  /**
   * @param size the most connections
   * @param cacheKib of each connection
   * @throws StorageError whose `cause` has SQLite's `code`
   */
  static async open(
    path: string,
    size: number,
    cacheKib: number,
    options: Omit<ConnectionOptions, 'path' | 'pragmas'> = {},
  ): Promise<ReaderPool> {
    const pragmas = ['query_only = ON', 'temp_store = MEMORY', `cache_size = -${cacheKib}`];
    const openOne = (): Promise<Connection> => Connection.open({ ...options, path, pragmas });
    return new ReaderPool(await openOne(), size, openOne);
  }

  /** A pool of one connection that is open already; closing the pool closes it. */
  static over(connection: Connection): ReaderPool {
    return new ReaderPool(connection, 1, () => Promise.resolve(connection));
  }

  /** Sees what was committed before the call. Calls are answered in any order. */
  all<R extends object = Row>(sql: string, parameters: SqlParameter[] | NamedValues = []): Promise<R[]> {
    return this.of('').all<R>(sql, parameters);
  }

  /** A reader that takes the turns of an account; the pool itself takes those of the service. */
  of(account: string): Reader {
    return {
      all: <R extends object = Row>(sql: string, parameters: SqlParameter[] | NamedValues = []) =>
        this.with(account, (connection) => connection.all<R>(sql, parameters)),
    };
  }

  /** See `Connection.map`. */
  map<T>(sql: string, parameters: SqlParameter[], argument: unknown): Promise<T> {
    return this.with('', (connection) => connection.map<T>(sql, parameters, argument));
  }

  private async with<T>(account: string, ask: (connection: Connection) => Promise<T>): Promise<T> {
    const free = this.mayTake(account) ? this.takeFree() : undefined;
    if (free) this.use(account, 1);
    const connection = free ?? (await this.nextFree(account));
    try {
      return await ask(connection);
    } finally {
      this.use(account, -1);
      this.give(connection);
    }
  }

  private use(account: string, more: 1 | -1): void {
    const used = (this.used.get(account) ?? 0) + more;
    if (used === 0) this.used.delete(account);
    else this.used.set(account, used);
  }

  private mayTake(account: string): boolean {
    return account === '' || (this.used.get(account) ?? 0) < Math.max(1, this.limit - 1);
  }

  private takeFree(): Connection | undefined {
    let connection = this.free.pop();
    while (connection?.opening) {
      this.giveWhenOpen(connection, connection.opening);
      connection = this.free.pop();
    }
    return connection;
  }

  private nextFree(account: string): Promise<Connection> {
    if (this.canGrow && this.mayTake(account)) this.grow();
    return new Promise((resolve) => {
      this.waiting.add(account, resolve);
    });
  }

  private get canGrow(): boolean {
    return !this.isClosed && this.connections.length + this.opening.size < this.limit;
  }

  /** Where no other can be opened, the pool stays as it is: whoever waits gets one of those that there are. */
  private grow(): void {
    const opening = this.openOne().then(
      (connection) => {
        this.opening.delete(opening);
        this.connections.push(connection);
        this.give(connection);
      },
      () => {
        this.opening.delete(opening);
        this.limit = this.connections.length + this.opening.size;
      },
    );
    this.opening.add(opening);
  }

  private give(connection: Connection): void {
    if (connection.opening) {
      this.giveWhenOpen(connection, connection.opening);
      return;
    }
    const next = this.waiting.take((account) => this.mayTake(account));
    if (next === undefined) {
      this.free.push(connection);
      return;
    }
    this.use(next.account, 1);
    next.item(connection);
  }

  /** One whose thread ended is of no use until it is open again; or lost, which it tells whoever asks it. */
  private giveWhenOpen(connection: Connection, opening: Promise<void>): void {
    void opening.then(() => {
      this.give(connection);
    });
  }

  /** The most connections. */
  get size(): number {
    return this.limit;
  }

  /** Connections at work. */
  get busy(): number {
    return this.connections.length - this.free.length;
  }

  /** Calls that wait for a connection. */
  get queued(): number {
    return this.waiting.size;
  }

  /** Finishes the calls that are under way, then closes; those that wait are refused. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.opening);
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
