import type { TracerLogger } from '../../diagnostics/logger.js';
import { InvalidOptionError } from '../../errors.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { isThenable } from '../../recording/result/result-kinds.js';
import { defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { callModel } from '../clients/call-model.js';
import { describeMedia } from '../clients/media.js';
import { replaceMethod } from '../clients/replace-method.js';
import { type Fields, isFields } from '../readers.js';
import { AGENTS_MODEL, AGENTS_PROVIDER } from './agents-model.js';
import { AI_SDK_MODEL } from './ai-sdk-model.js';
import { LANGCHAIN_MODEL } from './langchain-model.js';
import type { ModelKind, ModelRequest } from './model-kind.js';

const KINDS: readonly ModelKind[] = [AI_SDK_MODEL, LANGCHAIN_MODEL, AGENTS_MODEL, AGENTS_PROVIDER];

export interface WrapModelParts {
  readonly recorder: Recorder;
  readonly logger: TracerLogger;
  /** The open span of a LangChain run. */
  readonly openRun: (runId: string) => ActiveSpan | undefined;
}

/** The models whose methods are recorded, by recorder. */
const wrapped = new WeakMap<Recorder, WeakSet<object>>();

/** The model that a definition is of. */
const models = new WeakMap<SpanDefinition, object>();

const NO_MODEL =
  'wrapModel: a value that is no model it supports stays as it is, and a replay will call it. Pass a language model of the AI SDK, ' +
  "a chat model of LangChain, or a Model or ModelProvider of OpenAI Agents; a vendor's client is for wrapClient.";
const FROZEN =
  'wrapModel: a frozen model stays as it is, and a replay will call it. Wrap it before it is frozen.';

/** What was warned of, by recorder: models may be made for each request. */
const warned = new WeakMap<Recorder, Set<string>>();

/** Records the requests of a model, which stays the same object. One that cannot be wrapped stays as it is, with one warning. */
export function wrapModel(model: unknown, parts: WrapModelParts): void {
  const kind = isFields(model) ? kindOf(model) : undefined;
  if (!isFields(model) || kind === undefined) {
    warnOnce(NO_MODEL, parts);
    return;
  }
  try {
    wrapMethods(model, kind, parts);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    warnOnce(FROZEN, parts);
  }
}

function warnOnce(message: string, { recorder, logger }: WrapModelParts): void {
  const told = warned.get(recorder) ?? new Set();
  warned.set(recorder, told);
  if (!told.has(message)) logger.warn(message);
  told.add(message);
}

function kindOf(model: Fields): ModelKind | undefined {
  return KINDS.find((kind) => kind.isModel(model));
}

function wrapMethods(model: Fields, kind: ModelKind, parts: WrapModelParts): void {
  const { recorder } = parts;
  const done = wrapped.get(recorder) ?? new WeakSet();
  wrapped.set(recorder, done);
  if (done.has(model)) return;
  for (const request of kind.methodsOf(model)) wrapRequest(model, kind, request, parts);
  done.add(model);
  for (const name of kind.makers) {
    if (typeof model[name] !== 'function') continue;
    replaceMethod(model, name, (fn, self, args) => {
      const made: unknown = Reflect.apply(fn, self, args);
      if (!isFields(made) || !isThenable(made)) wrapMade(made, parts);
      else
        return made.then((value: unknown) => {
          wrapMade(value, parts);
          return value;
        });
      return made;
    });
  }
}

/** A model that another one made, or one inside a LangChain binding. */
function wrapMade(made: unknown, parts: WrapModelParts): void {
  parts.recorder.guard('wrapping a model', () => {
    for (const model of isFields(made) ? [made, made['bound']] : []) {
      const kind = isFields(model) ? kindOf(model) : undefined;
      if (isFields(model) && kind !== undefined) wrapMethods(model, kind, parts);
    }
  });
}

function wrapRequest(
  model: Fields,
  kind: ModelKind,
  request: ModelRequest,
  { recorder, openRun }: WrapModelParts,
): void {
  const { key, method, kind: requestKind } = request;
  const describe = (args: readonly unknown[]): ReturnType<ModelKind['describe']> =>
    recorder.guard('reading the name of a model', () => kind.describe(model, args)) ?? {};
  const definition = defineSpan({
    key,
    name: key,
    type: 'llm',
    captureInput: (args) => [describeMedia({ ...describe(args), ...request.asked(args, model) })],
  });
  models.set(definition, model);
  const runOf = (args: readonly unknown[]): ActiveSpan | undefined => request.runOf?.(args, openRun);
  const call = { recorder, definition, method, kind: requestKind, describe, client: model, runOf };
  replaceMethod(model, method.path.at(-1) ?? '', (fn, self, args) => {
    // A model that streams inside sends one request, which is recorded already.
    const around = currentRecordingFrame()?.span?.start.definition;
    if (around !== undefined && models.get(around.base ?? around) === model)
      return Reflect.apply(fn, self, args) as unknown;
    return callModel(call, fn, self, args);
  });
}
