/** An error response in the format of OpenAI-compatible APIs. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get body(): Record<string, unknown> {
    return { error: { message: this.message, type: this.type, param: this.param, code: null } };
  }
}
