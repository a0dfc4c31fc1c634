/** A failed response of the collector. `status` is 0 when there was no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** The collector's message for the reader. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}
