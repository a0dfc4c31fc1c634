import { type UsageRecord, toMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { currentModelCallOptions, mergeModelCallOptions } from '../../context/model-call-context.js';
import type { ModelCallOptions } from '../../options/model-call-options.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { callUnrecorded } from '../../recording/record-call.js';
import type { Recorder } from '../../recording/recorder.js';
import { currentRecordingFrame, findReplayedCalls } from '../../recording/recording-frame.js';
import {
  type AnyFunction,
  defineSpan,
  refineSpan,
  type SpanDefinition,
} from '../../recording/span-definition.js';
import type { AnswerKind, ClientAnswers } from './answer-kind.js';
import { describeFiles } from './describe-files.js';
import type { ModelMethod } from './model-method.js';
import { ModelRecording, findSignals } from './model-recording.js';

/** What a kind of client returns for a request. */
export interface RequestKind {
  /** Makes a client report each attempt of a request. */
  seeAttempts(client: object): void;
  /** Follows the result of the method until the recording ends; returns what the caller receives. */
  follow(result: unknown, recording: ModelRecording): unknown;
  /** How a replay answers a request. */
  answers(all: ClientAnswers): AnswerKind;
}

export interface WrappedMethod {
  readonly recorder: Recorder;
  readonly definition: SpanDefinition;
  readonly method: ModelMethod;
  readonly kind: RequestKind;
  /** Returns the requested model and its provider, if known. */
  readonly describe: (args: readonly unknown[]) => UsageRecord;
  readonly client: object;
  /** The span of a library's own run that a request with these arguments belongs to. */
  readonly findRun?: ((args: readonly unknown[]) => ActiveSpan | undefined) | undefined;
  /** Those of the client; its last wrapping counts. */
  readonly options?: { readonly current: ModelCallOptions | undefined } | undefined;
}

/** Records only the first argument: the second one has options for the transport. */
export function defineModelCall(key: string, method: ModelMethod): SpanDefinition {
  const captureInput = ([request]: readonly unknown[]): unknown[] => [
    describeFiles(
      method.recordedRequest?.(toMembers(request)) ?? method.body?.(toMembers(request)) ?? request,
    ),
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
  const { method, kind, client } = wrapped;
  const run = wrapped.findRun?.(args);
  const call = (described?: object): unknown =>
    run === undefined
      ? callHere(wrapped, fn, self, args, described)
      : contextStorage.run(run, callHere, wrapped, fn, self, args, described);
  const replayed = method.contents && findReplayedCalls(currentRecordingFrame());
  if (replayed === undefined) return call();
  const answers = replayed.clientAnswers as ClientAnswers;
  return answers.answerFiles({ kind: kind.answers(answers), method, client, args, call });
}

/** @param described the request with the bytes of its files; absent: they are read while the request runs */
function callHere(
  wrapped: WrappedMethod,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
  described: object | undefined,
): unknown {
  const { recorder, kind, client, method } = wrapped;
  const ofCall = currentModelCallOptions();
  const ofClient = wrapped.options?.current;
  const options = ofCall === undefined ? ofClient : mergeModelCallOptions(ofClient, ofCall);
  const definition = options === undefined ? wrapped.definition : refined(wrapped.definition, options);
  const span = recorder.open(definition, described === undefined ? args : [described]);
  if (span === undefined) return callUnrecorded(definition, fn, self, args);
  span.signals = findSignals(args);
  const body = span.trace.replayedCalls?.chooseFunction(span, fn) ?? fn;
  const keepsChunks = options?.capture?.chunks ?? recorder.fields.capturer.options.chunks;
  const recording = new ModelRecording(span, method, wrapped.describe, args, keepsChunks, body !== fn);
  recording.begin();
  if (described === undefined) recording.readFiles();
  if (options !== undefined) noteOptions(span, options, ofCall?.session);
  if (body !== fn) {
    const answers = span.trace.replayedCalls?.clientAnswers as ClientAnswers;
    return answers.answer({ kind: kind.answers(answers), client, method, recording }, body, args);
  }
  recording.send();
  let result: unknown;
  try {
    result = contextStorage.run(span, Reflect.apply, fn, self, args);
  } catch (error) {
    recording.fail(error);
    throw error;
  }
  return recorder.guard('following a request to a model', () => kind.follow(result, recording)) ?? result;
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
