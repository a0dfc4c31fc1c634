import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageError } from '../../../errors.js';
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

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string; code?: string };
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** A SQLite connection in a worker thread. Calls are run in the order in which they are made. */
export class Connection {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private failure: StorageError | undefined;
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
  async write(steps: Step[]): Promise<StepOutcome[]> {
    const encoded = steps.map((step) => ({ ...step, rows: step.rows.map((row) => row.map(toSqlValue)) }));
    return (await this.call({ kind: 'write', steps: encoded })) as StepOutcome[];
  }

  /** Finishes the calls made before, then closes. */
  async close(): Promise<void> {
    this.worker.postMessage({ kind: 'close' });
    await this.exited;
  }

  private call(message: object): Promise<unknown> {
    if (this.failure) return Promise.reject(this.failure);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  private settle({ id, result, error }: Answer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(new StorageError(error.message, error));
    else waiting?.resolve(result);
  }

  private fail(error: StorageError): void {
    this.failure ??= error;
    for (const { reject } of this.waiting.values()) reject(this.failure);
    this.waiting.clear();
  }

  private untilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.worker.once(
        'message',
        (message: { ready: boolean; error?: { message: string; code?: string } }) => {
          if (message.ready) resolve();
          else reject(new StorageError(message.error?.message ?? 'the database did not open', message.error));
        },
      );
      this.worker.once('error', reject);
      this.worker.once('exit', () => {
        reject(new StorageError('the database did not open'));
      });
    });
  }
}
