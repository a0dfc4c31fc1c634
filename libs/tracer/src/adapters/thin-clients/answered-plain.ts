import { AnsweredStream } from '../clients/answered-stream.js';
import type { AnswerKind, ErrorSource } from '../clients/answer-kind.js';
import { revivedAnswer } from '../clients/revival.js';
import { findPackage } from '../package-copies.js';
import { withVendorClass } from '../vendor-errors.js';

/** Promises of an answer, of a stream of its chunks, or of an object that holds the stream. */
export function answeredPlain({ name, client: module, errors }: ErrorSource): AnswerKind {
  return {
    answered: (outcome, call) => {
      const { streamIn } = call.method;
      const revivedError = (error: unknown): unknown => {
        const copy = findPackage(call.client, name, module);
        return withVendorClass(error, copy?.exports, errors && copy?.load(name, errors));
      };
      const answer = revivedAnswer(outcome, call, { error: revivedError }, (parts) => {
        const stream = AnsweredStream.of(parts, call);
        return streamIn === undefined ? stream : { [streamIn]: stream, $metadata: {} };
      });
      const withRawResponse = async (): Promise<object> => ({
        data: await answer,
        rawResponse: { status: 200, statusText: 'OK', headers: new Headers(), url: '', type: 'default' },
      });
      return Object.assign(answer, { withRawResponse });
    },
  };
}
