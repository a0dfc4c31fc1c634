import { parentPort } from 'node:worker_threads';
import type { WorkerAnswer, WorkerCall } from './worker-client.js';

/** The other end of a WorkerClient: answers its calls one after another. */
export function serveCalls(methods: Record<string, (payload: never) => unknown>): void {
  parentPort?.on('message', ({ id, method, payload }: WorkerCall) => {
    parentPort?.postMessage(answer(id, () => methods[method]?.(payload as never)));
  });
}

function answer(id: number, run: () => unknown): WorkerAnswer {
  try {
    return { id, result: run() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
