import { toFields } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';
import type { AnsweredCall } from './answer-kind.js';
import { AnsweredStream } from './answered-stream.js';
import { findSignals } from './model-recording.js';
import { propsOfStream } from './stream-props.js';

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
    // The classes of errors are static members of the client's own: `OpenAI.APIError`.
    const classes = call.client.constructor;
    const request = new AnsweredRequest((resolve, reject) => {
      outcome.then(
        (answer) => {
          const { current: reader } = call.method.reader;
          if (isStream(answer)) resolve(createStream(revived(answer, classes), call));
          else resolve(reader?.revived === undefined ? answer : reader.revived(answer));
        },
        (error: unknown) => {
          reject(withVendorClass(error, classes));
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
    const { stream } = toFields(body);
    return { response, controller, options: { ...toFields(options), body, stream } };
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

/** The signal of the request ends its stream. */
function createStream(source: AsyncIterable<unknown>, { args }: AnsweredCall): AnsweredStream {
  const controller = new AbortController();
  for (const signal of findSignals(args)) {
    if (signal.aborted) controller.abort();
    signal.addEventListener(
      'abort',
      () => {
        controller.abort();
      },
      { once: true, signal: controller.signal },
    );
  }
  return new AnsweredStream(source, controller);
}

async function* revived(stream: AsyncIterable<unknown>, classes: unknown): AsyncGenerator {
  try {
    yield* stream;
  } catch (error) {
    throw withVendorClass(error, classes);
  }
}
