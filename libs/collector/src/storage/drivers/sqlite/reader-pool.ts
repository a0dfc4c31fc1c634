import { Connection, type ConnectionOptions, type Reader, type Row } from './connection.js';
import type { SqlParameter } from './sql-value.js';

/** Connections that only read, each in a thread of its own. A call waits for the first that is free, behind none that is slow. */
export class ReaderPool implements Reader {
  private readonly free: Connection[];
  private readonly waiting: ((connection: Connection) => void)[] = [];

  private constructor(readonly connections: readonly Connection[]) {
    this.free = [...connections];
  }

  /**
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
    const opening = Array.from({ length: size }, () => Connection.open({ ...options, path, pragmas }));
    const opened = (await Promise.allSettled(opening)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    const pool = new ReaderPool(opened);
    if (opened.length < size) await pool.close();
    await Promise.all(opening);
    return pool;
  }

  /** Sees what was committed before the call. Calls are answered in any order. */
  async all<R extends object = Row>(sql: string, parameters: SqlParameter[] = []): Promise<R[]> {
    const connection =
      this.takeFree() ?? (await new Promise<Connection>((resolve) => this.waiting.push(resolve)));
    try {
      return await connection.all<R>(sql, parameters);
    } finally {
      this.give(connection);
    }
  }

  private takeFree(): Connection | undefined {
    const index = this.free.findLastIndex((one) => this.isOfUse(one));
    return this.free.splice(index, index === -1 ? 0 : 1)[0];
  }

  private give(connection: Connection): void {
    const next = this.isOfUse(connection) ? this.waiting.shift() : undefined;
    if (next) next(connection);
    else this.free.push(connection);
  }

  /** One whose thread ended is opened again, which takes a while: calls wait for that only where no other is left. */
  private isOfUse({ ended }: Connection): boolean {
    return ended === undefined || this.connections.every((one) => one.ended !== undefined);
  }

  /** Connections at work. */
  get busy(): number {
    return this.connections.length - this.free.length;
  }

  /** Calls that wait for a connection. */
  get queued(): number {
    return this.waiting.length;
  }

  /** Finishes the calls that are under way, then closes; those that wait are refused. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}
