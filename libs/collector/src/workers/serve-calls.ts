import { parentPort } from 'node:worker_threads';
import type { WorkerAnswer, WorkerCall } from './worker-client.js';

/** Answers the calls of a WorkerClient. Calls may overlap. */
export function serveCalls(methods: Record<string, (payload: never) => unknown>): void {
  parentPort?.on('message', ({ id, method, payload }: WorkerCall) => {
    void answer(id, () => methods[method]?.(payload as never)).then((done) => parentPort?.postMessage(done));
  });
}

async function answer(id: number, run: () => unknown): Promise<WorkerAnswer> {
  try {
    return { id, result: await run() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
