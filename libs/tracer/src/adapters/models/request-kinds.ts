import { hasMethod } from '../../recording/result/result-kinds.js';
import type { AnsweredCall, RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import { type ModelRecording, signalsOf } from '../clients/model-recording.js';
import { untilAborted } from '../clients/until-aborted.js';
import { isFields } from '../readers.js';
import { newAbortError } from '../vendor-errors.js';

/** How a replay makes what the model gave from what was recorded of it. */
export interface Revival {
  /** Of an answer, or of each part of a stream; default: as it was recorded. */
  value?: ((recorded: unknown, call: AnsweredCall) => unknown) | undefined;
  error?: ((error: unknown, call: AnsweredCall) => unknown) | undefined;
}

const SENT: Pick<RequestKind, 'seeAttempts' | 'abortError'> = {
  seeAttempts: () => undefined,
  abortError: (model, signal) => {
    for (const client of Object.values(model) as unknown[]) {
      const error = isFields(client) ? newAbortError(client, signal) : undefined;
      if (error !== undefined) return error;
    }
    return undefined;
  },
};

/** Methods that promise one answer. */
export function promisedAnswer(revival: Revival): RequestKind {
  return {
    ...SENT,
    follow: (given, recording) =>
      settled(given, recording, (answer) => {
        recording.succeed(answer);
        return answer;
      }),
    answered: (outcome, call) => handled(revivedAnswer(outcome, call, revival)),
  };
}

/** Methods that return an async generator. */
export function generatedAnswer(revival: Revival): RequestKind {
  return {
    ...SENT,
    follow: (given, recording) =>
      isAsyncIterable(given) ? readingOf(recording).follow(given[Symbol.asyncIterator]()) : given,
    answered: (outcome, call) => revivedParts(outcome, call, revival),
  };
}

/** Methods that promise an object with a `ReadableStream` of parts; `around` makes such an object. */
export function promisedStream(
  revival: Revival,
  around: (stream: ReadableStream, call: AnsweredCall) => object,
): RequestKind {
  return {
    ...SENT,
    follow: (given, recording) =>
      settled(given, recording, (answer) => {
        const { stream } = answer as { stream: ReadableStream };
        return { ...(answer as object), stream: streamOf(readingOf(recording).follow(iteratorOf(stream))) };
      }),
    answered: (outcome, call) =>
      handled(
        revivedAnswer(outcome, call, { error: revival.error }).then((parts) =>
          around(streamOf(revivedParts(Promise.resolve(parts), call, revival)), call),
        ),
      ),
  };
}

async function settled(
  given: unknown,
  recording: ModelRecording,
  follow: (answer: unknown) => unknown,
): Promise<unknown> {
  let answer: unknown;
  try {
    answer = await given;
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
    const signals = signalsOf(call.args);
    const parts = untilAborted((await outcome) as AsyncIterable<unknown>, signals, (signal) => {
      throw SENT.abortError?.(call.client, signal) ?? signal.reason;
    });
    for await (const part of parts) yield value === undefined ? part : value(part, call);
  } catch (error) {
    throw reviveError?.(error, call) ?? error;
  }
}

function readingOf(recording: ModelRecording): StreamReading {
  return new StreamReading(recording, () => recording.isAborted(undefined));
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && hasMethod(value, Symbol.asyncIterator);
}

function iteratorOf(stream: ReadableStream): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async (reason: unknown) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}

function streamOf(iterator: AsyncIterator<unknown>): ReadableStream {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const step = await iterator.next();
        if (step.done === true) controller.close();
        else controller.enqueue(step.value);
      },
      cancel: async (reason) => {
        await iterator.return?.(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
