import { describeError } from '../../logger.js';

/**
 * Makes vectors of texts, so that passages are found by what they mean beside the words they have. It is yours: a model in this
 * process, or a provider's API. Nothing is downloaded, and without one nothing is embedded.
 */
export interface Embedder {
  /** Names the model, and whatever else its vectors depend on. Passages are embedded anew when it changes. */
  name: string;
  /** Numbers of a vector, 1 to 8192. Passages are embedded anew when it changes. */
  dimensions: number;
  /** One vector for each text, in their order; of any length, since only directions are compared. */
  embed(
    texts: readonly string[],
    context: EmbedContext,
  ): readonly ArrayLike<number>[] | Promise<readonly ArrayLike<number>[]>;
  /** Passages that are embedded at once, 1 to 2048; 64 when absent. */
  batchSize?: number;
  /** For a batch of passages; 30,000 when absent. */
  timeoutMs?: number;
  /** For a query, which is answered by words alone after it; 2000 when absent. */
  queryTimeoutMs?: number;
}

export interface EmbedContext {
  /** Some models want to know; of a query there is one text. */
  kind: 'passage' | 'query';
  /** Aborted when the time is up, and when the service closes. */
  signal: AbortSignal;
}

/** What the embedder gave cannot be used, or it gave nothing in time. The message is for the service's log. */
export class EmbedderFailedError extends Error {}

const TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 2000;

/**
 * Asks the embedder, but no longer than it may take.
 *
 * @returns vectors of length 1
 * @throws EmbedderFailedError
 */
export async function embedWith(
  embedder: Embedder,
  texts: readonly string[],
  { kind, signal }: EmbedContext,
): Promise<Float32Array[]> {
  const timeoutMs =
    kind === 'query' ? (embedder.queryTimeoutMs ?? QUERY_TIMEOUT_MS) : (embedder.timeoutMs ?? TIMEOUT_MS);
  const overdue = new AbortController();
  const timer = setTimeout(() => {
    overdue.abort(new EmbedderFailedError(`it had not answered after ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const over = AbortSignal.any([signal, overdue.signal]);
  try {
    const vectors = await Promise.race([
      aborted(over),
      Promise.resolve().then(() => embedder.embed(texts, { kind, signal: over })),
    ]);
    return checked(vectors, texts.length, embedder.dimensions);
  } catch (error) {
    if (error instanceof EmbedderFailedError) throw error;
    throw new EmbedderFailedError(describeError(error));
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => {
      const { reason } = signal as { reason: unknown };
      reject(reason instanceof Error ? reason : new EmbedderFailedError('the service is closed'));
    };
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Whatever comes from outside may be anything. */
function checked(vectors: unknown, count: number, dimensions: number): Float32Array[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    const given = Array.isArray(vectors) ? `${vectors.length} vectors` : `no array but ${typeof vectors}`;
    throw new EmbedderFailedError(`it gave ${given} for ${count} texts`);
  }
  return vectors.map((vector) => unit(vector, dimensions));
}

function unit(given: unknown, dimensions: number): Float32Array {
  const isList = Array.isArray(given) || (ArrayBuffer.isView(given) && 'length' in given);
  const numbers = Float64Array.from(isList ? (given as ArrayLike<number>) : []);
  if (numbers.length !== dimensions) {
    throw new EmbedderFailedError(
      `it gave a vector of ${numbers.length} numbers, and dimensions is ${dimensions}`,
    );
  }
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length)) throw new EmbedderFailedError('it gave a vector with numbers that are none');
  return Float32Array.from(numbers, (number) => (length === 0 ? 0 : number / length));
}
