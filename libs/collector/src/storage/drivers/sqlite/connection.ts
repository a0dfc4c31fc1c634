import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseDamagedError, StorageError, StorageFullError } from '../../../errors.js';
import { type SqlParameter, type SqlValue, toSqlValue } from './sql-value.js';

/** One statement, run once for each row of parameters. */
export interface Step {
  sql: string;
  rows: SqlParameter[][];
  /** Ends the write here, with what was done so far, when the statement changes nothing. */
  mustChange?: true;
}

export interface StepOutcome {
  changes: number;
  /** Of a statement with RETURNING. */
  rows: Row[];
}

export type Row = Record<string, SqlValue>;

export interface ConnectionOptions {
  path: string;
  /** Run when the connection opens, such as `journal_mode = WAL`. */
  pragmas: string[];
  /** A file that the connection locks for as long as it, or its process, lives. */
  lockPath?: string;
}

/** What reads may be asked of. */
export interface Reader {
  all<R extends object = Row>(sql: string, parameters?: SqlParameter[]): Promise<R[]>;
}

interface Failure {
  message: string;
  /** SQLite's. */
  code?: string;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: Failure;
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  isWrite: boolean;
}

/** What no statement is to blame for. */
const TROUBLE = /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)/;
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** A SQLite connection in a worker thread. Calls are run in the order in which they are made. */
export class Connection implements Reader {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private failure: StorageError | undefined;
  /** Why the last write was not done, where it was not the statement's fault. */
  writeTrouble: StorageError | undefined;
  /** The last that a statement found; whoever looked through the database and found nothing clears it. */
  damage: DatabaseDamagedError | undefined;
  private readonly exited: Promise<void>;

  private constructor(private readonly worker: Worker) {
    this.exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.fail(new StorageError('the database is closed'));
        resolve();
      });
    });
    worker.on('error', (error) => {
      this.fail(new StorageError(error.message, error));
    });
  }

  /** @throws StorageError whose `cause` has SQLite's `code` */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const worker = new Worker(join(__dirname, 'statement-worker.cjs'), { workerData: options });
    const connection = new Connection(worker);
    await connection.untilReady();
    worker.on('message', (answer: Answer) => {
      connection.settle(answer);
    });
    return connection;
  }

  async all<R extends object = Row>(sql: string, parameters: SqlParameter[] = []): Promise<R[]> {
    return (await this.call({ kind: 'read', sql, parameters: parameters.map(toSqlValue) })) as R[];
  }

  /** Runs the steps in one transaction; resolves after its commit. */
  write(steps: Step[]): Promise<StepOutcome[]> {
    const encoded = steps.map((step) => ({ ...step, rows: step.rows.map((row) => row.map(toSqlValue)) }));
    return this.call({ kind: 'write', steps: encoded }) as Promise<StepOutcome[]>;
  }

  /** Calls that were made and are not done. */
  get pending(): number {
    return this.waiting.size;
  }

  /** Finishes the calls made before, then closes. */
  async close(): Promise<void> {
    this.worker.postMessage({ kind: 'close' });
    await this.exited;
  }

  private call(message: { kind: 'read' | 'write'; [field: string]: unknown }): Promise<unknown> {
    if (this.failure) return Promise.reject(this.failure);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, isWrite: message.kind === 'write' });
      this.worker.postMessage({ id, ...message });
    });
  }

  private settle({ id, result, error: failure }: Answer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    const error = failure && storageErrorOf(failure);
    if (error instanceof DatabaseDamagedError) this.damage = error;
    if (waiting?.isWrite === true) this.writeTrouble = TROUBLE.test(failure?.code ?? '') ? error : undefined;
    if (error) waiting?.reject(error);
    else waiting?.resolve(result);
  }

  private fail(error: StorageError): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }

  private untilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.worker.once('message', ({ ready, error }: { ready: boolean; error?: Failure }) => {
        if (ready) resolve();
        else reject(storageErrorOf(error ?? { message: 'the database did not open' }));
      });
      this.worker.once('error', reject);
      this.worker.once('exit', () => {
        reject(new StorageError('the database did not open'));
      });
    });
  }
}

function storageErrorOf(failure: Failure): StorageError {
  const { message, code = '' } = failure;
  if (code.startsWith('SQLITE_FULL')) return new StorageFullError(failure);
  return DAMAGE.test(code) ? new DatabaseDamagedError(message, failure) : new StorageError(message, failure);
}
