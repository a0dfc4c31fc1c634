import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseDamagedError, StorageError, StorageFullError } from '../../../errors.js';

export interface ThreadOptions {
  path: string;
  /** Pragmas to run when the connection opens, such as `journal_mode = WAL`. */
  pragmas: readonly string[];
  /** A file that the connection locks until it, or its process, ends. */
  lockPath?: string;
  /** Size of the thread's young generation in MiB, which should hold the rows of one message. Default: 4. */
  youngMib?: number;
  /** Maximum heap of the thread in MiB. A thread that needs more ends. Default: Node's. */
  heapMib?: number;
  /** Counts committed writes; see {@link CommitMarker}. */
  marker?: CommitMarker;
  /** The file of a module with `mapRows`; see {@link MapRows}. It is loaded on first use. */
  mapper?: string;
  /** The file of a module with `openMethods`, which runs methods of stores. It is loaded on first use. */
  methods?: string;
}

/** Counts committed writes in the database and, after each commit, in a separate file. */
export interface CommitMarker {
  /** An existing file. It is overwritten from its first byte with `text`, the count, and a line end. */
  path: string;
  text: string;
  /** Adds its parameter to the count, and returns it as `writes`. */
  sql: string;
}

/**
 * Maps rows in the thread that read them, such as texts to words, so that neither reaches the main thread as values.
 *
 * @returns the value, and the memory of it to move to the main thread instead of copying it
 */
export type MapRows<Row, Argument, Value> = (
  rows: readonly Row[],
  argument: Argument,
) => { value: Value; transfer: readonly ArrayBuffer[] };

/** An error of SQLite. */
interface Failure {
  message: string;
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
}

/** With Node's default, each thread could use 32 MiB. */
const YOUNG_MIB = 4;
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** A thread with one SQLite connection, from its start to its end. */
export class StatementThread {
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private end: StorageError | undefined;
  private isClosing = false;
  /** Resolves with the reason when it ended, its transaction is rolled back and its locks are free. */
  readonly ended: Promise<StorageError>;

  private constructor(private readonly worker: Worker) {
    let cause: Error | undefined;
    worker.once('error', (error) => {
      cause = error;
    });
    this.ended = new Promise((resolve) => {
      worker.once('exit', () => {
        const end = this.isClosing ? new StorageError('the database is closed') : toThreadError(cause);
        this.end = end;
        for (const { reject } of this.waiting.values()) reject(end);
        this.waiting.clear();
        resolve(end);
      });
    });
  }

  /** @throws StorageError whose `cause` has SQLite's `code` */
  static async open({ heapMib, youngMib = YOUNG_MIB, ...options }: ThreadOptions): Promise<StatementThread> {
    const { NODE_OPTIONS } = process.env;
    const worker = new Worker(join(__dirname, 'statement-worker.cjs'), {
      workerData: options,
      // Node applies them to a thread only with an explicit environment. They may change how modules are loaded.
      ...((options.mapper ?? options.methods) !== undefined &&
        NODE_OPTIONS !== undefined && { env: { NODE_OPTIONS } }),
      resourceLimits: {
        maxYoungGenerationSizeMb: youngMib,
        ...(heapMib !== undefined && { maxOldGenerationSizeMb: heapMib }),
      },
    });
    const thread = new StatementThread(worker);
    await new Promise<void>((resolve, reject) => {
      worker.once('message', ({ ready, error }: { ready: boolean; error?: Failure }) => {
        if (ready) resolve();
        else reject(toStorageError(error ?? { message: 'the database did not open' }));
      });
      void thread.ended.then(reject);
    });
    worker.on('message', (answer: Answer) => {
      thread.settle(answer);
    });
    return thread;
  }

  /**
   * @param transfer memory of the message to move to the thread instead of copying it
   * @throws StorageError whose `cause` has SQLite's `code`, or the reason if the thread ends before it answers
   */
  call(message: Readonly<Record<string, unknown>>, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.end) return Promise.reject(this.end);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message }, transfer);
    });
  }

  /** The number of unfinished calls. */
  get pending(): number {
    return this.waiting.size;
  }

  /** Finishes earlier calls, then closes. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.worker.postMessage({ kind: 'close' });
    await this.ended;
  }

  private settle({ id, result, error }: Answer): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) waiting?.reject(toStorageError(error));
    else waiting?.resolve(result);
  }
}

function toThreadError(cause: Error | undefined): StorageError {
  const isMemory = (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new StorageError(
    `a database thread ended: ${isMemory ? 'it was out of memory' : (cause?.message ?? 'it was stopped')}`,
    cause,
    'The service restarts it. Repeat the request; repeat a batch with the same id.',
  );
}

function toStorageError(failure: Failure): StorageError {
  const { message, code = '' } = failure;
  if (code.startsWith('SQLITE_FULL')) return new StorageFullError(failure);
  return DAMAGE.test(code) ? new DatabaseDamagedError(message, failure) : new StorageError(message, failure);
}
