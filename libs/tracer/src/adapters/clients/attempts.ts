import { types } from 'node:util';
import type { ActiveSpan } from '../../recording/active-span.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { type Fields, fieldsOf } from '../readers.js';

type Fetch = (...args: unknown[]) => Promise<unknown>;

/** How one try of a request ended. */
export interface Attempt {
  readonly status?: number;
  readonly error?: string;
}

const attempts = new WeakMap<ActiveSpan, Attempt[]>();
const counting = new WeakSet<object>();

/** The tries of the request that a span is of, in order; `undefined` where they are not seen. */
export function attemptsOf(span: ActiveSpan): readonly Attempt[] | undefined {
  return attempts.get(span);
}

/** Notes the tries of the request that the span is of from here on. */
export function countAttempts(span: ActiveSpan): void {
  attempts.set(span, []);
}

/** Has a client tell of each try: it keeps the `fetch` that it sends them with in a property of that name. */
export function seeAttempts(client: object): void {
  const send: unknown = Reflect.get(client, 'fetch');
  if (typeof send !== 'function' || counting.has(send) || !Object.hasOwn(client, 'fetch')) return;
  const seen = new Proxy(send as Fetch, {
    apply(target, self: unknown, args: unknown[]): unknown {
      const made = currentRecordingFrame()?.span;
      const tries = made && attempts.get(made);
      const answered: unknown = Reflect.apply(target, self, args);
      return tries !== undefined && types.isPromise(answered) ? noted(answered, tries) : answered;
    },
  });
  counting.add(seen);
  Reflect.set(client, 'fetch', seen);
}

async function noted(answered: Promise<unknown>, tries: Attempt[]): Promise<unknown> {
  const index = tries.push({}) - 1;
  try {
    const response = await answered;
    const { status }: Fields = fieldsOf(response);
    if (typeof status === 'number') tries[index] = { status };
    return response;
  } catch (error) {
    tries[index] = { error: error instanceof Error ? error.name : typeof error };
    throw error;
  }
}
