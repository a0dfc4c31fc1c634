import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseDamagedError, DatabaseThreadLostError, StorageError } from '../../../errors.js';
import { type CollectorLogger, describeError } from '../../../logger.js';
import { type CommitMarker, StatementThread, type ThreadOptions } from './statement-thread.js';
import { RecentAccounts } from './recent-accounts.js';
import type { StoreCall } from '../../meta/stores.js';
import type { SqlParameter, SqlValue } from '../../meta/transaction.js';
import { type NamedValues, toSqlValue } from '../../meta/bind.js';

/** One statement, run once for each row of parameters. */
export interface Step {
  sql: string;
  rows: SqlParameter[][];
  /** Ends the write here, keeping what was done so far, if the statement changes nothing. */
  mustChange?: true;
}

/** A method of a store, by the option `methods`. */
export interface CallStep {
  call: StoreCall;
}

export interface StepResult {
  changes: number;
  /** The rows of a statement with RETURNING. */
  rows: Row[];
  /** The result of a method. */
  result?: unknown;
}

export type Row = Record<string, SqlValue>;

interface WatchOptions {
  logger?: Readonly<CollectorLogger> | undefined;
  /** Waits in ms before each try to reopen an ended thread. Their number is the number of tries. */
  pausesMs?: readonly number[] | undefined;
  /** Called after each committed write, with the size of its values. */
  onWritten?: ((bytes: number) => void) | undefined;
  /** Called once, when the last try has failed. */
  onLost?: ((error: DatabaseThreadLostError) => void) | undefined;
}

export type ConnectionOptions = ThreadOptions & WatchOptions;

/** The reading part of a connection or a pool. */
export interface Reader {
  all<R extends object = Row>(sql: string, parameters?: SqlParameter[] | NamedValues): Promise<R[]>;
}

type Message = Readonly<{ kind: 'read' | 'map' | 'write' | 'mark'; [field: string]: unknown }>;

/** Errors that no statement causes. */
const TROUBLE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const PAUSES_MS = [0, 500, 2000, 5000, 10_000];

/**
 * A SQLite connection in a worker thread. Calls of one account run in the order in which they are made, and accounts take turns. If the
 * thread ends, for example out of memory, its running calls fail. The thread is then reopened, and new calls wait for it.
 */
export class Connection implements Reader {
  /** Why the last write failed, if no statement caused it. A caller that saw a large write succeed clears it. */
  writeTrouble: StorageError | undefined;
  /** The last damage that a statement found. A caller that checked the database and found none clears it. */
  damage: DatabaseDamagedError | undefined;
  /** Why the thread ended, while it is not open. */
  ended: StorageError | undefined;
  /** Set while the thread is reopened. Resolves when it is open or given up. Never rejects. */
  opening: Promise<void> | undefined;
  private readonly closing = new AbortController();
  private readonly accounts = new RecentAccounts();

  private constructor(
    private threadOptions: ThreadOptions,
    private readonly watchOptions: WatchOptions,
    private thread: StatementThread,
  ) {
    this.watch();
  }

  /** @throws StorageError whose `cause` has SQLite's `code` */
  static async open({
    logger,
    pausesMs,
    onLost,
    onWritten,
    ...options
  }: ConnectionOptions): Promise<Connection> {
    const watch = { logger, pausesMs, onLost, onWritten };
    return new Connection(options, watch, await StatementThread.open(options));
  }

  async all<R extends object = Row>(
    sql: string,
    parameters: SqlParameter[] | NamedValues = [],
  ): Promise<R[]> {
    const values = Array.isArray(parameters) ? parameters.map(toSqlValue) : parameters;
    return (await this.call({ kind: 'read', sql, parameters: values })) as R[];
  }

  /**
   * Maps the rows in the thread, with the option `mapper`.
   *
   * @param argument is passed to the mapper together with the rows
   */
  async map<T>(sql: string, parameters: SqlParameter[], argument: unknown): Promise<T> {
    return (await this.call({ kind: 'map', sql, parameters: parameters.map(toSqlValue), argument })) as T;
  }

  /**
   * Runs the steps in one transaction and resolves after its commit. Not `async`, so that nothing here references the rows meanwhile.
   *
   * @param account takes the turn of this account. Default: the service itself
   * @param transfer memory of rows to move to the thread instead of copying it. It is no longer usable here
   * @throws StorageError if nothing was written; if the thread ended, it may have been
   */
  write(
    steps: readonly (Step | CallStep)[],
    account?: string,
    transfer?: readonly ArrayBuffer[],
  ): Promise<StepResult[]> {
    return this.writeTimed(steps, account, transfer).then(({ outcomes }) => outcomes);
  }

  /** Like {@link write}. `tookMs` is the time of the steps, without waits. */
  writeTimed(
    steps: readonly (Step | CallStep)[],
    account?: string,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<{ outcomes: StepResult[]; tookMs: number }> {
    let bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const encoded = steps.map((step) => {
      if ('call' in step) {
        bytes += bytesIn(step.call.values);
        return step;
      }
      const rows = step.rows.map((row) =>
        row.map((parameter) => {
          const value = toSqlValue(parameter);
          bytes += typeof value === 'string' ? value.length : VALUE_BYTES;
          return value;
        }),
      );
      return { ...step, rows };
    });
    if (account !== undefined) this.accounts.note(account);
    const isShared = account !== undefined && this.isShared(account);
    const message = { kind: 'write', account, isShared, bytes, steps: encoded } as const;
    return this.call(message, transfer).then(
      (done) => {
        this.watchOptions.onWritten?.(bytes);
        return done as { outcomes: StepResult[]; tookMs: number };
      },
      (error: unknown) => {
        if (error instanceof StorageError && TROUBLE.test(readErrorCode(error))) this.writeTrouble = error;
        throw error;
      },
    );
  }

  /** Runs a method of a store as a separate write. @throws StorageError like {@link write} */
  async run(call: StoreCall): Promise<unknown> {
    const [outcome] = await this.write([{ call }]);
    return outcome?.result;
  }

  /** Whether other accounts wrote recently, so that a large write of this one would delay theirs. */
  isShared(account: string): boolean {
    return this.accounts.hasOthers(account);
  }

  /** Runs a PRAGMA now and each time the thread is reopened. */
  async set(pragma: string): Promise<void> {
    this.threadOptions = { ...this.threadOptions, pragmas: [...this.threadOptions.pragmas, pragma] };
    await this.all(`PRAGMA ${pragma}`);
  }

  /** Counts writes from now on, also after the thread is reopened. */
  async mark(marker: CommitMarker): Promise<void> {
    this.threadOptions = { ...this.threadOptions, marker };
    await this.call({ kind: 'mark', marker });
  }

  /** The number of unfinished calls. */
  get pending(): number {
    return this.thread.pending;
  }

  /** Finishes earlier calls, then closes. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.opening;
    await this.thread.close();
  }

  /** Keeps no reference to a sent message, because a batch is large. */
  private call(message: Message, transfer?: readonly ArrayBuffer[]): Promise<unknown> {
    // Waits only if it must, so that calls stay in order and come before a later close.
    if (this.opening) return this.callAfter(this.opening, message, transfer);
    if (this.ended) return Promise.reject(this.ended);
    return this.thread.call(message, transfer).catch((error: unknown) => {
      if (error instanceof DatabaseDamagedError) this.damage = error;
      throw error;
    });
  }

  private async callAfter(
    opening: Promise<void>,
    message: Message,
    transfer?: readonly ArrayBuffer[],
  ): Promise<unknown> {
    await opening;
    return this.call(message, transfer);
  }

  private watch(): void {
    void this.thread.ended.then((why) => {
      if (this.closing.signal.aborted) return;
      this.ended = why;
      this.opening = this.openAgain(why);
    });
  }

  /** Never rejects. */
  private async openAgain(why: StorageError): Promise<void> {
    const { logger, pausesMs = PAUSES_MS, onLost } = this.watchOptions;
    const { signal } = this.closing;
    logger?.error(describeError(why));
    let last = why;
    for (const ms of pausesMs) {
      await pause(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) {
        this.opening = undefined;
        return;
      }
      try {
        this.thread = await StatementThread.open(this.threadOptions);
        this.ended = undefined;
        this.opening = undefined;
        this.watch();
        logger?.warn('the database thread was restarted');
        return;
      } catch (error) {
        last = error instanceof StorageError ? error : new StorageError(String(error), error);
      }
    }
    const lost = new DatabaseThreadLostError(last);
    this.ended = lost;
    this.opening = undefined;
    logger?.error(describeError(lost));
    onLost?.(lost);
  }
}

/** Bytes of a number. Transferred bytes count as a reference of this size. */
const VALUE_BYTES = 8;

/** The approximate number of bytes that the thread has to write. */
function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = 0;
  for (const inner of Object.values(value)) bytes += bytesIn(inner);
  return bytes;
}

function readErrorCode(error: StorageError): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Whether another process holds a lock. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof StorageError)) return false;
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}
