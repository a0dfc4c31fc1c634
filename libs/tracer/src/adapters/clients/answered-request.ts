import { fieldsOf } from '../readers.js';
import type { AnsweredCall } from './call-model.js';
import { AnsweredStream } from './answered-stream.js';
import { propsOfStream } from './props-of-stream.js';

type Transform = (answer: unknown, props: object) => unknown;

/** What a request gives that a replay answers: the same promise with the same ways to the answer, and no response of a server. */
export class AnsweredRequest extends Promise<unknown> {
  private call!: AnsweredCall;
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
    throw this.call.miss('it asks for the raw response (asResponse), which is not recorded');
  }

  parse(): Promise<unknown> {
    return this;
  }

  _thenUnwrap(transform: Transform): AnsweredRequest {
    const { props } = this;
    const derived = new AnsweredRequest((resolve, reject) => {
      this.then((answer) => transform(answer, props)).then(resolve, reject);
    });
    return derived.with(this.call);
  }

  /** For helpers that read the response themselves. */
  async _responseProps(): Promise<object> {
    const answer = await this;
    return isStream(answer)
      ? propsOfStream(answer, this.props)
      : { ...this.props, response: Response.json(answer, { headers: this.response.headers }) };
  }

  private get props(): object {
    const { response, controller, call } = this;
    const [body, options] = call.args;
    const { stream } = fieldsOf(body);
    return { response, controller, options: { ...fieldsOf(options), body, stream } };
  }

  private with(call: AnsweredCall): this {
    this.call = call;
    // Nobody may wait for it: see the call itself.
    this.catch(() => undefined);
    return this;
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

type ErrorClass = new (given: object) => unknown;

/** Errors that the clients' classes have beside them, `OpenAI.APIError`. */
interface ErrorClasses {
  readonly APIError?: {
    generate?(status: number, body: undefined, message: string, headers: Headers): unknown;
  };
  readonly APIConnectionError?: ErrorClass;
  readonly APIConnectionTimeoutError?: ErrorClass;
}

/** The recorded error as one of the client's own class, where its text tells which: `429 Slow down`. */
function likeThatOf(client: object, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  try {
    const made = errorOf(client.constructor as ErrorClasses, error);
    if (!(made instanceof Error)) return error;
    // Of its headers only the name was recorded.
    const properties = Object.entries(error).filter(([key]) => key !== 'headers');
    return Object.assign(made, { stack: error.stack }, Object.fromEntries(properties));
  } catch {
    return error;
  }
}

function errorOf(classes: ErrorClasses, { message, cause }: Error): unknown {
  const [, status, text = ''] = /^(\d{3}) (.*)$/s.exec(message) ?? [];
  if (status !== undefined)
    return classes.APIError?.generate?.(Number(status), undefined, text, new Headers());
  const { APIConnectionError, APIConnectionTimeoutError } = classes;
  if (message === 'Connection error.')
    return APIConnectionError && new APIConnectionError({ message, cause });
  if (message === 'Request timed out.')
    return APIConnectionTimeoutError && new APIConnectionTimeoutError({ message });
  return undefined;
}
