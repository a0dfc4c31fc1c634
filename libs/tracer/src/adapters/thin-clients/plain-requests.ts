import { types } from 'node:util';
import { hasMethod } from '../../recording/result/result-kinds.js';
import { AnsweredStream } from '../clients/answered-stream.js';
import type { AnsweredCall, RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import { type ModelRecording, signalsOf } from '../clients/model-recording.js';
import { findPackageOf } from '../package-copies.js';
import { fieldsOf, isFields } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';

/** Where a package exports the classes of its errors. */
export interface ErrorSource {
  readonly name: string;
  /** The module with the class of the client. */
  readonly client?: string;
  readonly errors?: string;
}

/** Requests that are promises of an answer, of a stream of its chunks, or of an object that holds the stream. */
export function plainRequests(source: ErrorSource): RequestKind {
  return {
    seeAttempts: () => undefined,
    follow(given, recording) {
      const { innerPromise } = fieldsOf(given);
      if (!types.isPromise(innerPromise)) return settled(given, recording, (answer) => answer);
      // Cohere's promise has methods of its own, so the caller gets the same object.
      const inner = settled(innerPromise, recording, (answer) => fieldsOf(answer)['data']);
      Reflect.set(given as object, 'innerPromise', inner);
      inner.catch(() => undefined);
      return given;
    },
    answered: (outcome, call) => {
      const answer = outcome.then(
        (value) => answerOf(value, call),
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

/** @param answerIn reads the answer from the resolved value */
async function settled(
  given: unknown,
  recording: ModelRecording,
  answerIn: (value: unknown) => unknown,
): Promise<unknown> {
  let value: unknown;
  try {
    value = await given;
  } catch (error) {
    recording.fail(error);
    throw error;
  }
  recording.guard('following an answer', () => {
    const answer = answerIn(value);
    const { streamIn } = recording.method;
    const stream = streamIn === undefined ? answer : fieldsOf(answer)[streamIn];
    if (isIterable(stream)) followIteration(stream, recording);
    else recording.succeed(answer);
  });
  return value;
}

/** Replaces only the iterator of a stream, so that its class and its other members stay. */
function followIteration(stream: AsyncIterable<unknown>, recording: ModelRecording): void {
  const iterate = stream[Symbol.asyncIterator];
  const reading = new StreamReading(recording, () => recording.isAborted(undefined) || isAborted(stream));
  const value = (): AsyncIterator<unknown> => reading.follow(Reflect.apply(iterate, stream, []));
  Object.defineProperty(stream, Symbol.asyncIterator, { value, configurable: true, writable: true });
}

/** Streams of Ollama and Cohere keep the controller that aborts them. */
function isAborted(stream: object): boolean {
  const { controller, abortController } = fieldsOf(stream);
  return fieldsOf(fieldsOf(abortController ?? controller)['signal'])['aborted'] === true;
}

function answerOf(value: unknown, { args, method }: AnsweredCall): unknown {
  if (!isIterable(value)) return value;
  const controller = new AbortController();
  for (const signal of signalsOf(args))
    signal.addEventListener(
      'abort',
      () => {
        controller.abort();
      },
      { once: true, signal: controller.signal },
    );
  const stream = new AnsweredStream(value, controller);
  return method.streamIn === undefined ? stream : { [method.streamIn]: stream, $metadata: {} };
}

function revivedError(
  error: unknown,
  client: object,
  { name, client: module, errors }: ErrorSource,
): unknown {
  const copy = findPackageOf(client, name, module);
  return withVendorClass(error, copy?.exports, errors && copy?.load(name, errors));
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && hasMethod(value, Symbol.asyncIterator);
}
