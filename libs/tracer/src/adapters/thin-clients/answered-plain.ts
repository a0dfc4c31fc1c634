import { hasMethod } from '../../recording/result/result-kinds.js';
import { AnsweredStream } from '../clients/answered-stream.js';
import type { AnsweredCall, AnswerKind, ErrorSource } from '../clients/answer-kind.js';
import { findSignals } from '../clients/model-recording.js';
import { findPackage } from '../package-copies.js';
import { isFields } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';

/** Promises of an answer, of a stream of its chunks, or of an object that holds the stream. */
export function answeredPlain(source: ErrorSource): AnswerKind {
  return {
    answered: (outcome, call) => {
      const answer = outcome.then(
        (value) => toAnswer(value, call),
        (error: unknown) => {
          throw revivedError(error, call.client, source);
        },
      );
      // Without this, a caller that never awaits the answer gets an unhandled rejection.
      answer.catch(() => undefined);
      const withRawResponse = async (): Promise<object> => ({
        data: await answer,
        rawResponse: { status: 200, statusText: 'OK', headers: new Headers(), url: '', type: 'default' },
      });
      return Object.assign(answer, { withRawResponse });
    },
  };
}

function toAnswer(value: unknown, { args, method }: AnsweredCall): unknown {
  const revive = (recorded: unknown): unknown => method.reader.current?.revived?.(recorded) ?? recorded;
  if (!isIterable(value)) return revive(value);
  const controller = new AbortController();
  for (const signal of findSignals(args))
    signal.addEventListener(
      'abort',
      () => {
        controller.abort();
      },
      { once: true, signal: controller.signal },
    );
  const stream = new AnsweredStream(revivedEach(value, revive), controller);
  return method.streamIn === undefined ? stream : { [method.streamIn]: stream, $metadata: {} };
}

async function* revivedEach(
  items: AsyncIterable<unknown>,
  revive: (recorded: unknown) => unknown,
): AsyncGenerator {
  for await (const item of items) yield revive(item);
}

function revivedError(
  error: unknown,
  client: object,
  { name, client: module, errors }: ErrorSource,
): unknown {
  const copy = findPackage(client, name, module);
  return withVendorClass(error, copy?.exports, errors && copy?.load(name, errors));
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && hasMethod(value, Symbol.asyncIterator);
}
