import { hasMethod } from '../../recording/result/result-kinds.js';
import type { AnsweredCall, AnswerKind } from '../clients/answer-kind.js';
import type { RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import { type ModelRecording, findSignals } from '../clients/model-recording.js';
import { untilAborted } from '../clients/until-aborted.js';
import { toIterator, toReadableStream } from '../clients/web-streams.js';
import { isFields } from '../readers.js';
import { newAbortError } from '../vendor-errors.js';

/** How a replay makes what the model gave from what was recorded of it. */
export interface Revival {
  /** Of an answer, or of each part of a stream; default: as it was recorded. */
  value?: ((recorded: unknown, call: AnsweredCall) => unknown) | undefined;
  error?: ((error: unknown, call: AnsweredCall) => unknown) | undefined;
}

/** These models are recorded by what loads late itself. */
function defineKind(follow: RequestKind['follow'], answered: AnswerKind['answered']): RequestKind {
  return { seeAttempts: () => undefined, follow, answers: () => ({ abortError, answered }) };
}

function abortError(model: object, signal: AbortSignal | undefined): unknown {
  for (const client of Object.values(model) as unknown[]) {
    const error = isFields(client) ? newAbortError(client, signal) : undefined;
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Methods that promise one answer. */
export function promisedAnswer(revival: Revival): RequestKind {
  return defineKind(
    (result, recording) =>
      settled(result, recording, (answer) => {
        recording.succeed(answer);
        return answer;
      }),
    (outcome, call) => handled(revivedAnswer(outcome, call, revival)),
  );
}

/** Methods that return an async generator. */
export function generatedAnswer(revival: Revival): RequestKind {
  return defineKind(
    (result, recording) =>
      isAsyncIterable(result) ? createReading(recording).follow(result[Symbol.asyncIterator]()) : result,
    (outcome, call) => revivedParts(outcome, call, revival),
  );
}

/** Methods that promise an object with a `ReadableStream` of parts; `around` makes such an object. */
export function promisedStream(
  revival: Revival,
  around: (stream: ReadableStream, call: AnsweredCall) => object,
): RequestKind {
  return defineKind(
    (result, recording) =>
      settled(result, recording, (answer) => {
        const { stream } = answer as { stream: ReadableStream };
        return {
          ...(answer as object),
          stream: toReadableStream(createReading(recording).follow(toIterator(stream))),
        };
      }),
    (outcome, call) =>
      handled(
        revivedAnswer(outcome, call, { error: revival.error }).then((parts) =>
          around(toReadableStream(revivedParts(Promise.resolve(parts), call, revival)), call),
        ),
      ),
  );
}

async function settled(
  result: unknown,
  recording: ModelRecording,
  follow: (answer: unknown) => unknown,
): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await result;
  } catch (error) {
    recording.fail(error);
    throw error;
  }
  return recording.guard('following an answer', () => follow(answer)) ?? answer;
}

/** Nobody may wait for it. */
function handled(answer: Promise<unknown>): Promise<unknown> {
  answer.catch(() => undefined);
  return answer;
}

async function revivedAnswer(
  outcome: Promise<unknown>,
  call: AnsweredCall,
  { value, error: reviveError }: Revival,
): Promise<unknown> {
  let recorded: unknown;
  try {
    recorded = await outcome;
  } catch (error) {
    throw reviveError?.(error, call) ?? error;
  }
  return value === undefined ? recorded : value(recorded, call);
}

async function* revivedParts(
  outcome: Promise<unknown>,
  call: AnsweredCall,
  { value, error: reviveError }: Revival,
): AsyncGenerator {
  try {
    const signals = findSignals(call.args);
    const parts = untilAborted((await outcome) as AsyncIterable<unknown>, signals, (signal) => {
      throw abortError(call.client, signal) ?? signal.reason;
    });
    for await (const part of parts) yield value === undefined ? part : value(part, call);
  } catch (error) {
    throw reviveError?.(error, call) ?? error;
  }
}

function createReading(recording: ModelRecording): StreamReading {
  return new StreamReading(recording, () => recording.isAborted(undefined));
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && hasMethod(value, Symbol.asyncIterator);
}
