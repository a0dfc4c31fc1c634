import { toMembers } from '@dacapo/protocol';
import { isStream } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';
import type { AnsweredCall } from './answer-kind.js';
import { AnsweredStream } from './answered-stream.js';
import { revivedAnswer } from './revival.js';
import { propsOfStream } from './stream-props.js';

type Transform = (answer: unknown, props: object) => unknown;

/** The result of a request that a replay answers: the same promise with the same accessors, but no server response. */
export class AnsweredRequest extends Promise<unknown> {
  private call!: AnsweredCall;
  private readonly response = new Response(null, { headers: { 'x-dacapo-replay': 'answered' } });
  private readonly controller = new AbortController();

  /** `then` returns a plain promise, not a request. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static of(outcome: Promise<unknown>, call: AnsweredCall): AnsweredRequest {
    // The classes of errors are static members of the client's own: `OpenAI.APIError`.
    const classes = call.client.constructor;
    const error = (thrown: unknown): unknown => withVendorClass(thrown, classes);
    const answer = revivedAnswer(outcome, call, { error }, (parts) => AnsweredStream.of(parts, call));
    return AnsweredRequest.from(answer, call);
  }

  async withResponse(): Promise<object> {
    return { data: await this, response: this.response, request_id: null };
  }

  /** The response was not recorded. */
  async asResponse(): Promise<never> {
    await Promise.resolve();
    throw this.call.miss('it reads the raw response (asResponse), which is not recorded');
  }

  parse(): Promise<unknown> {
    return this;
  }

  _thenUnwrap(transform: Transform): AnsweredRequest {
    const { props } = this;
    return AnsweredRequest.from(
      this.then((answer) => transform(answer, props)),
      this.call,
    );
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
    const { stream } = toMembers(body);
    return { response, controller, options: { ...toMembers(options), body, stream } };
  }

  private static from(answer: Promise<unknown>, call: AnsweredCall): AnsweredRequest {
    const request = new AnsweredRequest((resolve) => {
      resolve(answer);
    });
    request.call = call;
    // Nobody has to wait for it.
    request.catch(() => undefined);
    return request;
  }
}
