import type { EmbedContext, Embedder } from '../../embedder.js';
import { describeError } from '../../logger.js';

/** The embedder failed, timed out or returned invalid vectors. The message is for the service's log. */
export class EmbedderFailedError extends Error {}

const TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 2000;

/**
 * Calls the embedder, with its timeout.
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
    overdue.abort(new EmbedderFailedError(`it did not answer within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const over = AbortSignal.any([signal, overdue.signal]);
  try {
    const vectors = await Promise.race([
      aborted(over),
      Promise.resolve().then(() => embedder.embed(texts, { kind, signal: over })),
    ]);
    return checkVectors(vectors, texts.length, embedder.dimensions);
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

function checkVectors(vectors: unknown, count: number, dimensions: number): Float32Array[] {
  if (!Array.isArray(vectors) || vectors.length !== count) {
    const returned = Array.isArray(vectors)
      ? `${vectors.length} vectors`
      : `not an array but ${typeof vectors}`;
    throw new EmbedderFailedError(`it returned ${returned} for ${count} texts`);
  }
  return vectors.map((vector) => normalize(vector, dimensions));
}

function normalize(vector: unknown, dimensions: number): Float32Array {
  const isList = Array.isArray(vector) || (ArrayBuffer.isView(vector) && 'length' in vector);
  const numbers = Float64Array.from(isList ? (vector as ArrayLike<number>) : []);
  if (numbers.length !== dimensions) {
    throw new EmbedderFailedError(
      `it returned a vector of ${numbers.length} numbers, but dimensions is ${dimensions}`,
    );
  }
  const length = Math.hypot(...numbers);
  if (!Number.isFinite(length)) throw new EmbedderFailedError('it returned a vector with invalid numbers');
  return Float32Array.from(numbers, (number) => (length === 0 ? 0 : number / length));
}
