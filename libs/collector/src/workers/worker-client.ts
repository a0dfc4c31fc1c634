import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface WorkerCall {
  id: number;
  method: string;
  payload: unknown;
}

export interface WorkerAnswer {
  id: number;
  result?: unknown;
  error?: string;
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** The thread ended before its answer: out of memory, timed out or closed. */
export class WorkerEndedError extends Error {}

/** The call exceeded a limit of the thread: memory or time. */
export class WorkerLimitError extends WorkerEndedError {}

/** Calls a thread. Starts it at the first call, and again after it ended. */
export class WorkerClient {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  /** Increases when a thread ends, because its data is lost. */
  generation = 0;

  constructor(
    private readonly path: string,
    private readonly options: Pick<WorkerOptions, 'resourceLimits'> = {},
  ) {}

  get isRunning(): boolean {
    return this.worker !== undefined;
  }

  /**
   * @param timeoutMs ends the thread if it has not answered by then
   * @throws WorkerEndedError
   */
  async call(method: string, payload: unknown, timeoutMs?: number): Promise<unknown> {
    const worker = (this.worker ??= this.start());
    const id = ++this.lastId;
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.end(worker, new WorkerLimitError(`it took longer than ${timeoutMs / 1000} s`));
          }, timeoutMs);
    try {
      return await new Promise((resolve, reject) => {
        this.waiting.set(id, { resolve, reject });
        worker.ref();
        worker.postMessage({ id, method, payload } satisfies WorkerCall);
      });
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
      if (this.waiting.size === 0) worker.unref();
    }
  }

  async close(): Promise<void> {
    const { worker } = this;
    if (worker === undefined) return;
    this.end(worker, new WorkerEndedError('the service is closed'));
    await worker.terminate();
  }

  private start(): Worker {
    const { NODE_OPTIONS } = process.env;
    // The thread gets no environment variables, which may be secrets, except those that Node itself reads.
    const env = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS };
    const worker = new Worker(this.path, { ...this.options, env });
    worker.on('message', ({ id, result, error }: WorkerAnswer) => {
      const waiting = this.waiting.get(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
    worker.once('error', (error: Error & { code?: string }) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.end(
        worker,
        isMemory ? new WorkerLimitError('it took too much memory') : new WorkerEndedError(error.message),
      );
    });
    worker.once('exit', () => {
      this.end(worker, new WorkerEndedError('it ended'));
    });
    return worker;
  }

  /** Only the first reason counts. Another thread may be running by now. */
  private end(worker: Worker, reason: WorkerEndedError): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.generation++;
    void worker.terminate();
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }
}
