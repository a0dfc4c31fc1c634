/**
 * Your function that computes vectors of texts, so that passages are found by meaning as well as by words: a model in this process, or
 * a provider's API. This package downloads no model.
 */
export interface Embedder {
  /** Names the model and all else that determines its vectors. A new name embeds all passages again. */
  name: string;
  /** Numbers in a vector, 1 to 8192. A new value embeds all passages again. */
  dimensions: number;
  /** Returns a vector for each text, in order. Their length does not matter, since only directions are compared. */
  embed(
    texts: readonly string[],
    context: EmbedContext,
  ): readonly ArrayLike<number>[] | Promise<readonly ArrayLike<number>[]>;
  /** Passages per call, 1 to 2048. Default: 64. */
  batchSize?: number;
  /** For a batch of passages. Default: 30,000. */
  timeoutMs?: number;
  /** For a query, which is then answered by words only. Default: 2000. */
  queryTimeoutMs?: number;
}

export interface EmbedContext {
  /** Some models treat them differently. A query is one text. */
  kind: 'passage' | 'query';
  /** Aborted on timeout, and when the service closes. */
  signal: AbortSignal;
}
