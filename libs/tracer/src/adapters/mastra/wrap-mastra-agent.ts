import { toMembers, hasMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { InvalidOptionError } from '../../errors.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { callUnrecorded, recordCall } from '../../recording/record-call.js';
import type { Recorder } from '../../recording/recorder.js';
import { isThenable } from '../../recording/result/result-kinds.js';
import { type AnyFunction, defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { describeFiles } from '../clients/describe-files.js';
import { replaceMethod } from '../clients/replace-method.js';
import { isMastraAgent } from '../models/model-shapes.js';
import { wrapModel, type WrapModelParts } from '../models/wrap-model.js';
import { WrappedObjects } from '../wrapped-objects.js';

/** The recorded properties of an answer. Other accessors may start reading a stream. */
const ANSWERED = ['text', 'object', 'finishReason', 'toolCalls', 'toolResults', 'error'];

/** Agents and their tools. */
const wrapped = new WrappedObjects();

/**
 * Records the runs of an agent of Mastra, its tools and the requests to its models. The agent stays the same object.
 *
 * @throws InvalidOptionError when it is not a Mastra agent, or is frozen
 */
export function wrapMastraAgent(
  agent: object,
  { recorder, ...parts }: Omit<WrapModelParts, 'recorder'> & { readonly recorder: Recorder | undefined },
): void {
  if (!hasMembers(agent) || !isMastraAgent(agent))
    throw new InvalidOptionError(
      'agent',
      'is not an agent of Mastra',
      'Pass an instance of Agent of @mastra/core 1.0 or newer.',
    );
  if (recorder === undefined || !wrapped.add(agent, recorder)) return;
  wrapModel(agent, { recorder, ...parts });
  const { id, name } = agent;
  const label = String(id ?? name);
  for (const method of ['generate', 'stream']) {
    const definition = defineSpan({
      key: `mastra.agent.${label}`,
      name: label,
      type: 'agent',
      captureInput: ([messages]) => [describeFiles(messages)],
    });
    replaceMethod(agent, method, (fn, self, args) =>
      runAgent({ recorder, definition, isStreamed: method === 'stream' }, fn, self, args),
    );
  }
  replaceMethod(agent, 'listTools', (fn, self, args) => {
    const tools: unknown = Reflect.apply(fn, self, args);
    const wrap = (callArguments: unknown): unknown => {
      for (const [key, tool] of Object.entries(toMembers(callArguments))) wrapTool(key, tool, recorder);
      return callArguments;
    };
    return hasMembers(tools) && isThenable(tools) ? tools.then(wrap) : wrap(tools);
  });
}

interface AgentCall {
  readonly recorder: Recorder;
  readonly definition: SpanDefinition;
  readonly isStreamed: boolean;
}

/** A run itself is never answered: in a replay its models and tools are. */
function runAgent(
  { recorder, definition, isStreamed }: AgentCall,
  fn: AnyFunction,
  self: unknown,
  args: readonly unknown[],
): unknown {
  const span = recorder.open(definition, args);
  if (span === undefined) return callUnrecorded(definition, fn, self, args);
  const [messages, options, ...rest] = args;
  const tools = isStreamed ? [messages, followedOptions(options, span), ...rest] : args;
  const run = contextStorage.run(span, () => Reflect.apply(fn, self, tools) as Promise<unknown>);
  return run.then(
    (answer) => {
      if (!isStreamed) finish(span, answer);
      return answer;
    },
    (error: unknown) => {
      span.fail(error);
      throw error;
    },
  );
}

function finish(span: ActiveSpan, answer: unknown): void {
  const { recorder } = span.start;
  const output = recorder.guard('reading the answer of an agent', () => {
    const known = ANSWERED.map((name) => [name, toMembers(answer)[name]]).filter(
      ([, value]) => value !== undefined,
    );
    return Object.fromEntries(known) as unknown;
  });
  span.succeed(output);
}

/** A stream says by its callbacks how it ends; those of the application are called too. */
function followedOptions(options: unknown, span: ActiveSpan): object {
  const { onFinish, onError, onAbort } = toMembers(options);
  const before =
    (callback: unknown, note: (event: unknown) => void) =>
    (event: unknown, ...more: unknown[]): unknown => {
      note(event);
      return typeof callback === 'function'
        ? (Reflect.apply(callback as AnyFunction, undefined, [event, ...more]) as unknown)
        : undefined;
    };
  return {
    ...toMembers(options),
    onFinish: before(onFinish, (event) => {
      finish(span, event);
    }),
    onError: before(onError, (event) => {
      span.fail(toMembers(event)['error'] ?? event);
    }),
    onAbort: before(onAbort, () => {
      span.finish('cancelled', undefined);
    }),
  };
}

/** Tools get what they need to run next to their input, which is not recorded. */
function wrapTool(key: string, tool: unknown, recorder: Recorder): void {
  if (!hasMembers(tool) || typeof tool['execute'] !== 'function' || !wrapped.add(tool, recorder)) return;
  const definition = defineSpan({
    key: `mastra.tool.${key}`,
    name: key,
    type: 'function',
    kind: 'tool',
    captureInput: ([input]) => [input],
  });
  recorder.guard('recording a tool of Mastra', () => {
    replaceMethod(tool, 'execute', (fn, self, args) => recordCall(recorder, definition, fn, self, args));
  });
}
