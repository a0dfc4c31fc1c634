import type { UsageRecord } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { currentModelCallOptions, mergeModelCallOptions } from '../../context/model-call-context.js';
import type { ModelCallOptions } from '../../options/model-call-options.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { callUnrecorded } from '../../recording/record-call.js';
import type { Recorder } from '../../recording/recorder.js';
import { observeResult } from '../../recording/result/observe-result.js';
import { isAsyncIterable } from '../../recording/result/result-kinds.js';
import {
  type AnyFunction,
  defineSpan,
  refineSpan,
  type SpanDefinition,
} from '../../recording/span-definition.js';
import { fieldsOf } from '../readers.js';
import { StreamReading } from './follow-stream.js';
import { describeMedia } from './media.js';
import type { ModelMethod } from './model-method.js';
import { ModelRecording, signalsOf } from './model-recording.js';

/** What a kind of client gives for a request. */
export interface RequestKind {
  /** Has a client tell of each try of a request. */
  seeAttempts(client: object): void;
  /** Follows what the method gave, until the recording ends; gives what the caller gets. */
  follow(given: unknown, recording: ModelRecording): unknown;
  /** What a request throws that the application takes back; default: the reason of the signal. */
  abortError?(client: object, signal: AbortSignal | undefined): unknown;
  /** What the caller gets of a request that a replay answers. */
  answered(outcome: Promise<unknown>, call: AnsweredCall): unknown;
}

/** A request that a replay answered: nothing went out. */
export interface AnsweredCall {
  readonly method: ModelMethod;
  readonly client: object;
  readonly args: readonly unknown[];
  /** The error of who asks for what was not recorded. */
  miss(what: string): Error;
}

export interface WrappedMethod {
  readonly recorder: Recorder;
  readonly definition: SpanDefinition;
  readonly method: ModelMethod;
  readonly kind: RequestKind;
  /** The model and the provider that a request asks, as far as they are known. */
  readonly describe: (args: readonly unknown[]) => UsageRecord;
  readonly client: object;
  /** The span of a library's own run that a request with these arguments belongs to. */
  readonly runOf?: ((args: readonly unknown[]) => ActiveSpan | undefined) | undefined;
  /** Those of the client; its last wrapping counts. */
  readonly options?: { readonly current: ModelCallOptions | undefined } | undefined;
}

/** The options of a request, its second argument, say how it travels, not what is asked. */
export function defineModelCall(key: string, method: ModelMethod): SpanDefinition {
  const captureInput = ([request]: readonly unknown[]): unknown[] => [
    describeMedia(method.asked?.(fieldsOf(request)) ?? method.body?.(fieldsOf(request)) ?? request),
  ];
  // `openai.embeddings.create`, `google.models.embedContent`.
  const kind = /\.embed/.test(key) ? 'embedding' : undefined;
  return defineSpan({ key, name: key, type: 'llm', kind, captureInput });
}

/** Calls a method of a client inside an `llm` span. */
export function callModel(
  wrapped: WrappedMethod,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const run = wrapped.runOf?.(args);
  return run === undefined
    ? callHere(wrapped, fn, self, args)
    : contextStorage.run(run, callHere, wrapped, fn, self, args);
}

function callHere(wrapped: WrappedMethod, fn: AnyFunction, self: unknown, args: readonly unknown[]): unknown {
  const { recorder, kind } = wrapped;
  const ofCall = currentModelCallOptions();
  const ofClient = wrapped.options?.current;
  const options = ofCall === undefined ? ofClient : mergeModelCallOptions(ofClient, ofCall);
  const definition = options === undefined ? wrapped.definition : refined(wrapped.definition, options);
  const span = recorder.open(definition, args);
  if (span === undefined) return callUnrecorded(definition, fn, self, args);
  span.signals = signalsOf(args);
  const body = span.trace.replayedCalls?.bodyOf(span, fn) ?? fn;
  const keepsChunks = options?.capture?.chunks ?? recorder.fields.capturesChunks;
  const recording = new ModelRecording(
    span,
    wrapped.method,
    wrapped.describe,
    args,
    keepsChunks,
    body !== fn,
  );
  recording.begin();
  if (options !== undefined) noteOptions(span, options, ofCall?.session);
  if (body !== fn) return answer(wrapped, recording, body, args);
  recording.send();
  let given: unknown;
  try {
    given = contextStorage.run(span, Reflect.apply, fn, self, args);
  } catch (error) {
    recording.fail(error);
    throw error;
  }
  return recorder.guard('following a request to a model', () => kind.follow(given, recording)) ?? given;
}

function refined(definition: SpanDefinition, { name, capture }: ModelCallOptions): SpanDefinition {
  if (name === undefined && capture?.input !== false && capture?.output !== false) return definition;
  return refineSpan(definition, {
    name: name ?? definition.name,
    captureInput: capture?.input === false ? false : definition.captureInput,
    captureOutput: capture?.output === false ? false : definition.captureOutput,
  });
}

function noteOptions(span: ActiveSpan, options: ModelCallOptions, session: string | undefined): void {
  const { provider, metadata, tags = [] } = options;
  if (provider !== undefined) span.noteUsage({ provider });
  if (metadata !== undefined) span.addContext(metadata);
  if (tags.length > 0) span.trace.setTags(tags);
  const id = session ?? (span.trace.session === undefined ? options.session : undefined);
  if (id !== undefined) span.trace.setSessionId(id);
}

function answer(
  { kind, client, method }: WrappedMethod,
  recording: ModelRecording,
  body: AnyFunction,
  args: readonly unknown[],
): unknown {
  const { span } = recording;
  const outcome = followAnswer(
    recording,
    untilAborted(
      span,
      (signal) => kind.abortError?.(client, signal),
      () => contextStorage.run(span, Reflect.apply, body, undefined, args),
    ),
  );
  // The call did not end the process when it was recorded, whoever waited for it.
  outcome.catch(() => undefined);
  const { replayedCalls } = span.trace;
  const miss = (what: string): Error => replayedCalls?.unanswerable(span, what) ?? new Error(what);
  return kind.answered(outcome, { method, client, args, miss });
}

/** Records what a replay answers as a client's answer is recorded. */
function followAnswer(recording: ModelRecording, answer: Promise<unknown>): Promise<unknown> {
  const { span } = recording;
  return answer.then(
    (value) => {
      if (typeof value !== 'object' || value === null || !isAsyncIterable(value))
        return observeResult(span, value);
      const reading = new StreamReading(recording, () => recording.isAborted(undefined));
      return reading.follow(value[Symbol.asyncIterator]());
    },
    (error: unknown) => {
      span.fail(error);
      throw error;
    },
  );
}

/** What `work` gives, unless the application takes the request back before. */
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
      // A stream that is read tells its end itself, unless it waits for what never comes.
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
