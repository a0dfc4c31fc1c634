import { Connection, type ConnectionOptions, type Reader, type Row } from './connection.js';
import { AccountQueue } from '../../../memory/account-queue.js';
import type { SqlParameter } from '../../meta/transaction.js';
import type { NamedValues } from '../../meta/bind.js';

/**
 * Connections that only read, each in its own thread. A call waits for the first free one, and accounts take turns. An account never
 * uses all connections, so that its slow reads delay nobody else. The pool starts with one connection and opens another when a call
 * finds none free, because a thread takes time and memory.
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
   * @param size maximum number of connections
   * @param cacheKib cache of each connection
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

  /** A pool with one open connection, which it closes. */
  static over(connection: Connection): ReaderPool {
    return new ReaderPool(connection, 1, () => Promise.resolve(connection));
  }

  /** Sees everything committed before the call. Answers may come in any order. */
  all<R extends object = Row>(sql: string, parameters: SqlParameter[] | NamedValues = []): Promise<R[]> {
    return this.of('').all<R>(sql, parameters);
  }

  /** A reader that takes the turns of an account. The pool itself takes those of the service. */
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

  /** Opens another connection. If that fails, waiting calls use the existing ones. */
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

  /** Waits until a reader whose thread ended is open again, or lost. A lost reader rejects every read. */
  private giveWhenOpen(connection: Connection, opening: Promise<void>): void {
    void opening.then(() => {
      this.give(connection);
    });
  }

  /** Maximum number of connections. */
  get size(): number {
    return this.limit;
  }

  /** Busy connections. */
  get busy(): number {
    return this.connections.length - this.free.length;
  }

  /** Calls that wait for a connection. */
  get queued(): number {
    return this.waiting.size;
  }

  /** Finishes running calls and rejects waiting ones, then closes. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.opening);
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
