import { fieldsOf } from '../readers.js';
import type { AnsweredCall } from './call-model.js';
import { AnsweredStream } from './answered-stream.js';

type Transform = (answer: unknown, props: object) => unknown;

/** What a request gives that a replay answers: the same promise with the same ways to the answer, and no response of a server. */
export class AnsweredRequest extends Promise<unknown> {
  private call: AnsweredCall | undefined;
  private readonly response = new Response(null, { headers: { 'x-dacapo-replay': 'answered' } });
  private readonly controller = new AbortController();

  /** What `then` gives is a promise and no request. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static of(outcome: Promise<unknown>, call: AnsweredCall): AnsweredRequest {
    const request = new AnsweredRequest((resolve, reject) => {
      outcome.then(
        (answer) => {
          resolve(isStream(answer) ? new AnsweredStream(answer, new AbortController()) : answer);
        },
        (error: unknown) => {
          reject(likeThatOf(call.client, error));
        },
      );
    });
    return request.with(call);
  }

  async withResponse(): Promise<object> {
    return { data: await this, response: this.response, request_id: null };
  }

  /** The response was not recorded. */
  async asResponse(): Promise<never> {
    await Promise.resolve();
    throw this.call?.miss('it asks for the raw response (asResponse), which is not recorded') ?? new Error();
  }

  parse(): Promise<unknown> {
    return this;
  }

  _thenUnwrap(transform: Transform): AnsweredRequest {
    const { response, controller, call } = this;
    const [body, options] = call?.args ?? [];
    const { stream } = fieldsOf(body);
    const props = { response, controller, options: { ...fieldsOf(options), body, stream } };
    const derived = new AnsweredRequest((resolve, reject) => {
      this.then((answer) => transform(answer, props)).then(resolve, reject);
    });
    return derived.with(call);
  }

  private with(call: AnsweredCall | undefined): this {
    this.call = call;
    // Nobody may wait for it: see the call itself.
    this.catch(() => undefined);
    return this;
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

interface ErrorClasses {
  readonly APIError?: {
    generate?(status: number, body: undefined, message: string, headers: Headers): unknown;
  };
}

/** The recorded error as one of the client's own class, where its text tells the status: `429 Slow down`. */
function likeThatOf(client: object, error: unknown): unknown {
  const { APIError } = client.constructor as ErrorClasses;
  const [, status, message = ''] = (error instanceof Error && /^(\d{3}) (.*)$/s.exec(error.message)) || [];
  if (status === undefined || APIError?.generate === undefined || (error as Error).name !== 'Error')
    return error;
  try {
    const made = APIError.generate(Number(status), undefined, message, new Headers());
    const { stack, code } = error as Error & { code?: unknown };
    if (made instanceof Error) Object.assign(made, { stack }, code === undefined ? {} : { code });
    return made;
  } catch {
    return error;
  }
}
