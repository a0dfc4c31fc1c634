/**
 * Why a page became no document:
 * - `gone`: it does not exist or must not be indexed; its document is removed
 * - `skipped`: it cannot become a document; an earlier document stays
 * - `failed`: the next refresh may succeed; an earlier document stays
 */
export type PageFailure = 'gone' | 'skipped' | 'failed';

/** A page became no document. The message is a clause, without a full stop. */
export class PageError extends Error {
  override readonly name = 'PageError';

  constructor(
    readonly failure: PageFailure,
    reason: string,
    options?: { cause?: unknown },
  ) {
    super(reason, options);
  }
}
