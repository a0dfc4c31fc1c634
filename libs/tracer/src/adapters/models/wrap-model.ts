import { type Members, hasMembers } from '@dacapo/protocol';
import type { TracerLogger } from '../../diagnostics/logger.js';
import { InvalidOptionError } from '../../errors.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { isThenable } from '../../recording/result/result-kinds.js';
import { STREAM_CHUNKS } from '../clients/model-recording.js';
import { replaceMethod } from '../clients/replace-method.js';
import { LateRecorder } from '../late-recorder.js';
import type { ModelRequests } from './model-requests.js';
import { isOwnMethod, MODEL_SHAPES, type ModelShape } from './model-shapes.js';

export interface WrapModelParts {
  readonly recorder: Recorder;
  readonly logger: TracerLogger;
  /** The open span of a LangChain run. */
  readonly openRun: (runId: string) => ActiveSpan | undefined;
}

/** The wrapped models and their request recorder, by recorder. */
const wrapped = new WeakMap<Recorder, { models: WeakSet<object>; late: LateRecorder<ModelRequests> }>();

const NO_MODEL =
  'wrapModel: this value is not a supported model, so it is not recorded and replays call it. Pass a language model of the AI SDK, ' +
  "a chat model of LangChain, or a Model or ModelProvider of OpenAI Agents; for a vendor's client, use wrapClient.";
const FROZEN =
  'wrapModel: a frozen model cannot be wrapped, so it is not recorded and replays call it. Wrap it before it is frozen.';

/** Warnings that were already logged, by recorder. An application may create a model for each request. */
const warned = new WeakMap<Recorder, Set<string>>();

/** Records the requests of a model, which stays the same object. A value that cannot be wrapped stays unchanged, with one warning. */
export function wrapModel(model: unknown, parts: WrapModelParts): void {
  const shape = hasMembers(model) ? findShape(model) : undefined;
  if (!hasMembers(model) || shape === undefined) {
    warnOnce(NO_MODEL, parts);
    return;
  }
  try {
    wrapMethods(model, shape, parts);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    warnOnce(FROZEN, parts);
  }
}

function warnOnce(message: string, { recorder, logger }: WrapModelParts): void {
  const warnings = warned.get(recorder) ?? new Set();
  warned.set(recorder, warnings);
  if (!warnings.has(message)) logger.warn(message);
  warnings.add(message);
}

function findShape(model: Members): ModelShape | undefined {
  return MODEL_SHAPES.find((shape) => shape.isModel(model));
}

function wrapMethods(model: Members, shape: ModelShape, parts: WrapModelParts): void {
  const { recorder } = parts;
  const { models, late } = wrapped.get(recorder) ?? { models: new WeakSet(), late: lateRequests(parts) };
  wrapped.set(recorder, { models, late });
  if (models.has(model)) return;
  for (const name of shape.promising) wrapRequest(model, shape, name, late, (answer) => answer);
  for (const name of shape.generating.filter((one) => isOwnMethod(model, one)))
    wrapRequest(model, shape, name, late, yieldParts);
  models.add(model);
  for (const name of shape.makers) {
    if (typeof model[name] !== 'function') continue;
    replaceMethod(model, name, (fn, self, args) => {
      const made: unknown = Reflect.apply(fn, self, args);
      if (!hasMembers(made) || !isThenable(made)) wrapMade(made, parts);
      else
        return made.then((value: unknown) => {
          wrapMade(value, parts);
          return value;
        });
      return made;
    });
  }
}

/** Wraps a model that another model created, or one inside a LangChain binding. */
function wrapMade(made: unknown, parts: WrapModelParts): void {
  parts.recorder.guard('wrapping a model', () => {
    for (const model of hasMembers(made) ? [made, made['bound']] : []) {
      const shape = hasMembers(model) ? findShape(model) : undefined;
      if (hasMembers(model) && shape !== undefined) wrapMethods(model, shape, parts);
    }
  });
}

/** @param early converts the promised result to the method's return value while the recorder is loading */
function wrapRequest(
  model: Members,
  shape: ModelShape,
  name: string,
  late: LateRecorder<ModelRequests>,
  early: (answer: Promise<unknown>) => unknown,
): void {
  replaceMethod(model, name, (fn, self, args) => {
    const send = (requests: ModelRequests | undefined): unknown =>
      requests === undefined
        ? (Reflect.apply(fn, self, args) as unknown)
        : requests.send(model, shape, name, fn, self, args);
    return late.current === undefined ? early(late.ready().then(send)) : send(late.current);
  });
}

/** Returns the recorder of requests. It starts to load now, so that the first request does not wait for it. */
function lateRequests({ recorder, openRun }: WrapModelParts): LateRecorder<ModelRequests> {
  const late = new LateRecorder(recorder, async () => {
    const [{ ModelRequests }] = await Promise.all([import('./model-requests.js'), STREAM_CHUNKS.ready()]);
    return new ModelRequests(recorder, openRun);
  });
  void late.ready();
  return late;
}

async function* yieldParts(answer: Promise<unknown>): AsyncGenerator {
  yield* (await answer) as AsyncIterable<unknown>;
}
