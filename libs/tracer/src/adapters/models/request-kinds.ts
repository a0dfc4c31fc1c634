import { hasMembers } from '@dacapo/protocol';
import type { AnsweredCall, AnswerKind } from '../clients/answer-kind.js';
import type { RequestKind } from '../clients/call-model.js';
import { followPromise } from '../clients/follow-promise.js';
import { StreamReading } from '../clients/follow-stream.js';
import { type ModelRecording, findSignals } from '../clients/model-recording.js';
import { type Revival, revivedAnswer, revivedParts } from '../clients/revival.js';
import { untilAborted } from '../clients/until-aborted.js';
import { toIterator, toReadableStream } from '../clients/web-streams.js';
import { isStream } from '../readers.js';
import { newAbortError } from '../vendor-errors.js';

/** The recorder of these models is itself loaded late, so its parts need not be. */
function defineKind(follow: RequestKind['follow'], answered: AnswerKind['answered']): RequestKind {
  return { seeAttempts: () => undefined, follow, answers: () => ({ abortError, answered }) };
}

function abortError(model: object, signal: AbortSignal | undefined): unknown {
  for (const client of Object.values(model) as unknown[]) {
    const error = hasMembers(client) ? newAbortError(client, signal) : undefined;
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Methods that return a promise of one answer. */
export function promisedAnswer(revival: Revival): RequestKind {
  return defineKind(
    (result, recording) =>
      followPromise(Promise.resolve(result), recording, (answer) => {
        recording.succeed(answer);
      }),
    (outcome, call) => revivedAnswer(outcome, call, revival),
  );
}

/** Methods that return an async generator. */
export function generatedAnswer(revival: Revival): RequestKind {
  return defineKind(
    (result, recording) =>
      isStream(result) ? createReading(recording).follow(result[Symbol.asyncIterator]()) : result,
    (outcome, call) => readUntilAborted(revivedParts(outcome, call, revival), call),
  );
}

/** Methods that return a promise of an object with a `ReadableStream` of parts; `around` creates such an object. */
export function promisedStream(
  revival: Revival,
  around: (stream: ReadableStream, call: AnsweredCall) => object,
): RequestKind {
  return defineKind(
    (result, recording) =>
      followPromise(Promise.resolve(result), recording, (answer) => {
        const { stream } = answer as { stream: ReadableStream };
        return {
          ...(answer as object),
          stream: toReadableStream(createReading(recording).follow(toIterator(stream))),
        };
      }),
    (outcome, call) =>
      revivedAnswer(outcome, call, revival, (parts) =>
        around(toReadableStream(readUntilAborted(parts, call)), call),
      ),
  );
}

function readUntilAborted(parts: AsyncIterable<unknown>, { args, client }: AnsweredCall): AsyncGenerator {
  return untilAborted(parts, findSignals(args), (signal) => {
    throw abortError(client, signal) ?? signal.reason;
  });
}

function createReading(recording: ModelRecording): StreamReading {
  return new StreamReading(recording, () => recording.isAborted(undefined));
}
