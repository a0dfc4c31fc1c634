import { types } from 'node:util';
import { toMembers } from '@dacapo/protocol';
import { isReadableStream } from '../../recording/result/result-kinds.js';
import { isIrreplaceable, likenStream } from '../../recording/result/track-readable-stream.js';
import type { RequestKind } from '../clients/call-model.js';
import { defineMember } from '../clients/replace-method.js';
import { followPromise } from '../clients/follow-promise.js';
import { StreamReading } from '../clients/follow-stream.js';
import type { ModelRecording } from '../clients/model-recording.js';
import { toIterator, toReadableStream } from '../clients/web-streams.js';
import { isStream } from '../readers.js';
import type { ErrorSource } from '../clients/answer-kind.js';

/** Requests that are promises of an answer, of a stream of its chunks, or of an object that holds the stream. */
export function plainRequests(source: ErrorSource): RequestKind {
  return {
    seeAttempts: () => undefined,
    follow(result, recording) {
      const { innerPromise } = toMembers(result);
      if (!types.isPromise(innerPromise))
        return followPromise(Promise.resolve(result), recording, (value) =>
          followAnswer(value, value, recording),
        );
      // Cohere's promise has extra methods, so the caller gets the same object.
      const inner = followPromise(innerPromise, recording, (value) =>
        followAnswer(value, toMembers(value)['data'], recording),
      );
      Reflect.set(result as object, 'innerPromise', inner);
      inner.catch(() => undefined);
      return result;
    },
    answers: ({ plain }) => plain(source),
  };
}

/** @returns the replacement of the answer; `undefined`: it stays the same object */
function followAnswer(value: unknown, answer: unknown, recording: ModelRecording): unknown {
  const { streamIn } = recording.method;
  const stream = streamIn === undefined ? answer : toMembers(answer)[streamIn];
  if (!isStream(stream)) {
    recording.succeed(answer);
    return undefined;
  }
  const reading = new StreamReading(recording, () => recording.isAborted(undefined) || isAborted(stream));
  if (stream === value && isReadableStream(stream) && !isIrreplaceable(stream))
    return likenStream(toReadableStream(reading.follow(toIterator(stream))), stream);
  // Only the iterator is replaced, so that the class of the stream and its other members stay.
  const iterate = stream[Symbol.asyncIterator];
  const follow = (): AsyncIterator<unknown> => reading.follow(Reflect.apply(iterate, stream, []));
  defineMember(stream, Symbol.asyncIterator, follow);
  return undefined;
}

/** Streams of Ollama and Cohere keep the controller that aborts them. */
function isAborted(stream: object): boolean {
  const { controller, abortController } = toMembers(stream);
  return toMembers(toMembers(abortController ?? controller)['signal'])['aborted'] === true;
}
