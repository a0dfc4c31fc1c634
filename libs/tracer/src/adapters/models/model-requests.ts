import type { Members } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { Recorder } from '../../recording/recorder.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { type AnyFunction, defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { callModel, type WrappedMethod } from '../clients/call-model.js';
import { describeFiles } from '../clients/describe-files.js';
import { findModelProvider } from '../find-model-provider.js';
import { text } from '../readers.js';
import { AGENTS_MODEL } from './agents-model.js';
import { AI_SDK_MODEL } from './ai-sdk-model.js';
import { LANGCHAIN_MODEL } from './langchain-model.js';
import { MASTRA_MODEL } from './mastra-model.js';
import type { ModelKind } from './model-kind.js';
import type { ModelShape } from './model-shapes.js';

const KINDS: Readonly<Record<ModelShape['library'], ModelKind>> = {
  ai: AI_SDK_MODEL,
  langchain: LANGCHAIN_MODEL,
  agents: AGENTS_MODEL,
  mastra: MASTRA_MODEL,
};

/** The model of each definition. */
const models = new WeakMap<SpanDefinition, object>();

/** Records the requests of models for one tracer. */
export class ModelRequests {
  /** The wrapped methods of each model, by name. */
  private readonly calls = new WeakMap<object, Map<string, WrappedMethod>>();

  /** @param openRun finds the open span of a LangChain run */
  constructor(
    private readonly recorder: Recorder,
    private readonly openRun: (runId: string) => ActiveSpan | undefined,
  ) {}

  /** Calls a method of a model inside an `llm` span. */
  send(
    model: Members,
    { library }: ModelShape,
    name: string,
    fn: AnyFunction,
    self: unknown,
    args: readonly unknown[],
  ): unknown {
    // The outer method already records the one request of a model that streams internally.
    const around = currentRecordingFrame()?.span?.start.definition;
    if (around !== undefined && models.get(around.base ?? around) === model)
      return Reflect.apply(fn, self, args) as unknown;
    const call = this.wrapRequest(model, KINDS[library], name);
    return call === undefined ? (Reflect.apply(fn, self, args) as unknown) : callModel(call, fn, self, args);
  }

  private wrapRequest(model: Members, kind: ModelKind, name: string): WrappedMethod | undefined {
    const calls = this.calls.get(model) ?? new Map<string, WrappedMethod>();
    this.calls.set(model, calls);
    const known = calls.get(name);
    const request = kind.requests.find(({ method }) => method.path[0] === name);
    if (known !== undefined || request === undefined) return known;
    const { recorder, openRun } = this;
    const { key, method, kind: requestKind } = request;
    const describe = (args: readonly unknown[]): ReturnType<ModelKind['describe']> =>
      recorder.guard('reading the name of a model', () => kind.describe(model, args)) ?? {};
    // The address is not part of the arguments: a replay may run elsewhere.
    const describeUsage = (args: readonly unknown[]): ReturnType<ModelKind['describe']> => {
      const { provider: named, ...known } = describe(args);
      const address = recorder.guard('reading the address of a model', () => kind.findAddress?.(model));
      return { ...known, ...text('provider', findModelProvider(address, named)) };
    };
    const definition = defineSpan({
      key,
      name: key,
      type: 'llm',
      captureInput: (args) => [describeFiles({ ...describe(args), ...request.recordedRequest(args, model) })],
    });
    models.set(definition, model);
    const findRun = (args: readonly unknown[]): ActiveSpan | undefined => request.findRun?.(args, openRun);
    const call = {
      recorder,
      definition,
      method,
      kind: requestKind,
      describe: describeUsage,
      client: model,
      findRun,
    };
    calls.set(name, call);
    return call;
  }
}
