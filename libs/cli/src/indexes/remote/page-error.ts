/**
 * What becomes of a page that gives no document:
 * - `gone`: it is not there, or is not to be indexed; a document of it is removed
 * - `skipped`: it cannot become a document; one that there was stays
 * - `failed`: it may do better next time; one that there was stays
 */
export type PageOutcome = 'gone' | 'skipped' | 'failed';

/** Why an address gives no document. Its message is part of a sentence. */
export class PageError extends Error {
  override readonly name = 'PageError';

  constructor(
    readonly outcome: PageOutcome,
    reason: string,
    options?: { cause?: unknown },
  ) {
    super(reason, options);
  }
}
