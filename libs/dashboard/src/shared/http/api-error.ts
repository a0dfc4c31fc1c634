/** An answer of the collector that is no success, or no answer at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** What the collector said, for the reader. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}
