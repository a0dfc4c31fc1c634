import { contextStorage } from '../../context/context-storage.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { observeResult } from '../../recording/result/observe-result.js';
import type { AnyFunction } from '../../recording/span-definition.js';
import { isStream } from '../readers.js';
import type { RequestToAnswer, RequestWithFiles } from './answer-kind.js';
import { describeContents } from './file-contents.js';
import { StreamReading } from './follow-stream.js';
import type { ModelRecording } from './model-recording.js';

/** Answers a request from a recording. Applications that only record do not load it (docs/adr/0061). */
export function answerModel(
  { kind: { abortError, answered }, client, method, recording }: RequestToAnswer,
  body: AnyFunction,
  args: readonly unknown[],
): unknown {
  const { span } = recording;
  const { replayedCalls } = span.trace;
  const outcome = followAnswer(
    recording,
    untilAborted(
      span,
      (signal) => abortError?.(client, signal),
      () => contextStorage.run(span, Reflect.apply, body, undefined, args),
    ),
  );
  // An unawaited rejection did not end the process when the call was recorded.
  outcome.catch(() => undefined);
  const miss = (what: string): Error => replayedCalls?.unanswerable(span, what) ?? new Error(what);
  return answered(outcome, { method, client, args, miss });
}

export function answerFiles({ kind: { answered }, call, ...request }: RequestWithFiles): unknown {
  const outcome = describeContents(request.args[0]).then(call);
  return answered(outcome, { ...request, miss: (what) => new Error(what) });
}

/** Records the answer of a replay like an answer of the client. */
function followAnswer(recording: ModelRecording, answer: Promise<unknown>): Promise<unknown> {
  const { span } = recording;
  return answer.then(
    (value) =>
      recording.whenReadable(() => {
        if (!isStream(value)) return observeResult(span, value);
        const reading = new StreamReading(recording, () => recording.isAborted(undefined));
        return reading.follow(value[Symbol.asyncIterator]());
      }),
    (error: unknown) => {
      span.fail(error);
      throw error;
    },
  );
}

/** Returns the result of `work`, unless the application cancels the request first. */
function untilAborted(
  span: ActiveSpan,
  abortError: (signal: AbortSignal | undefined) => unknown,
  work: () => unknown,
): Promise<unknown> {
  const { signals } = span;
  return new Promise((resolve, reject) => {
    let hasCome = false;
    const abort = (): void => {
      const signal = signals.find(({ aborted }) => aborted);
      // A stream that is read reports its end itself, unless it waits forever.
      if (hasCome)
        setImmediate(() => {
          span.finish('cancelled', undefined);
        });
      else span.finish('cancelled', undefined);
      reject((abortError(signal) ?? signal?.reason) as Error);
    };
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
    if (signals.some(({ aborted }) => aborted)) abort();
    new Promise((given) => {
      given(work());
    }).then((given) => {
      hasCome = true;
      resolve(given);
    }, reject);
  });
}
