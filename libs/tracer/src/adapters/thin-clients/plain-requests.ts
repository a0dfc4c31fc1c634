import { types } from 'node:util';
import { hasMethod, isReadableStream } from '../../recording/result/result-kinds.js';
import { isIrreplaceable, likenStream } from '../../recording/result/track-readable-stream.js';
import type { RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import type { ModelRecording } from '../clients/model-recording.js';
import { toIterator, toReadableStream } from '../clients/web-streams.js';
import { toFields, isFields } from '../readers.js';
import type { ErrorSource } from '../clients/answer-kind.js';

/** Requests that are promises of an answer, of a stream of its chunks, or of an object that holds the stream. */
export function plainRequests(source: ErrorSource): RequestKind {
  return {
    seeAttempts: () => undefined,
    follow(result, recording) {
      const { innerPromise } = toFields(result);
      if (!types.isPromise(innerPromise)) return settled(result, recording, (answer) => answer);
      // Cohere's promise has methods of its own, so the caller gets the same object.
      const inner = settled(innerPromise, recording, (answer) => toFields(answer)['data']);
      Reflect.set(result as object, 'innerPromise', inner);
      inner.catch(() => undefined);
      return result;
    },
    answers: ({ plain }) => plain(source),
  };
}

/** @param answerIn reads the answer from the resolved value */
async function settled(
  result: unknown,
  recording: ModelRecording,
  answerIn: (value: unknown) => unknown,
): Promise<unknown> {
  let value: unknown;
  try {
    value = await result;
  } catch (error) {
    recording.fail(error);
    throw error;
  }
  return recording.whenReadable(
    () =>
      recording.guard('following an answer', () => followAnswer(value, answerIn(value), recording)) ?? value,
  );
}

/** @returns what stands in for the answer; `undefined`: it stays the same object */
function followAnswer(value: unknown, answer: unknown, recording: ModelRecording): unknown {
  const { streamIn } = recording.method;
  const stream = streamIn === undefined ? answer : toFields(answer)[streamIn];
  if (!isIterable(stream)) {
    recording.succeed(answer);
    return undefined;
  }
  const reading = new StreamReading(recording, () => recording.isAborted(undefined) || isAborted(stream));
  if (stream === value && isReadableStream(stream) && !isIrreplaceable(stream))
    return likenStream(toReadableStream(reading.follow(toIterator(stream))), stream);
  // Only the iterator is replaced, so that the class of the stream and its other members stay.
  const iterate = stream[Symbol.asyncIterator];
  const follow = (): AsyncIterator<unknown> => reading.follow(Reflect.apply(iterate, stream, []));
  Object.defineProperty(stream, Symbol.asyncIterator, { value: follow, configurable: true, writable: true });
  return undefined;
}

/** Streams of Ollama and Cohere keep the controller that aborts them. */
function isAborted(stream: object): boolean {
  const { controller, abortController } = toFields(stream);
  return toFields(toFields(abortController ?? controller)['signal'])['aborted'] === true;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && hasMethod(value, Symbol.asyncIterator);
}
