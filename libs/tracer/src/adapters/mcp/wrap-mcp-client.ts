import { types } from 'node:util';
import { toMembers, hasMembers } from '@dacapo/protocol';
import { contextStorage } from '../../context/context-storage.js';
import { injectTraceContext, isInsideTracedWork } from '../../context/propagation.js';
import { InvalidOptionError } from '../../errors.js';
import { recordCall } from '../../recording/record-call.js';
import type { Recorder } from '../../recording/recorder.js';
import {
  currentRecordingFrame,
  currentReplayFrame,
  findReplayedCalls,
} from '../../recording/recording-frame.js';
import { type AnyFunction, defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import type { ClientAnswers } from '../clients/answer-kind.js';
import { replaceMethod } from '../clients/replace-method.js';
import { membersWithout } from '../readers.js';
import { WrappedObjects } from '../wrapped-objects.js';

/** Methods that send a request to a server. */
const METHODS = ['callTool', 'listTools', 'readResource', 'getPrompt'];
/** Further methods, which some versions lack. */
const FURTHER_METHODS = [
  'listResources',
  'listResourceTemplates',
  'listPrompts',
  'complete',
  'subscribeResource',
  'unsubscribeResource',
];
/** Those of `client.experimental.tasks`, in late versions 1. The first one returns a stream. */
const TASK_METHODS = ['callToolStream', 'getTask', 'getTaskResult', 'listTasks', 'cancelTask'];
/** Maximum number of tools with their own key. The server chooses the names of its tools. */
const MOST_KEYS = 1000;

const wrapped = new WrappedObjects();

/**
 * Records the requests of a client of the Model Context Protocol. The client stays the same object.
 *
 * @throws InvalidOptionError when it is not an MCP client, or cannot be changed
 */
export function wrapMcpClient<C extends object>(client: C, recorder: Recorder | undefined): C {
  if (!hasMembers(client) || !METHODS.every((name) => typeof client[name] === 'function')) {
    throw new InvalidOptionError(
      'client',
      'is not a client of the Model Context Protocol',
      'Pass an instance of Client of @modelcontextprotocol/sdk; for a client of a model, use wrapClient.',
    );
  }
  if (recorder === undefined || !wrapped.add(client, recorder)) return client;
  const definitions = new Map<string, SpanDefinition>();
  for (const name of [...METHODS, ...FURTHER_METHODS].filter((one) => typeof client[one] === 'function'))
    replaceMethod(client, name, (fn, self, args) => {
      const definition = defineRequest(name, args[0], definitions);
      return withErrorClass(client, recordCall(recorder, definition, sending(fn), self, args));
    });
  const tasks = toMembers(toMembers(client['experimental'])['tasks']);
  for (const name of TASK_METHODS.filter((one) => typeof tasks[one] === 'function'))
    replaceMethod(tasks, name, (fn, self, args) => {
      const definition = defineRequest(name, args[0], definitions);
      // The others get an id or a cursor, which has no room for the position.
      const body = name === 'callToolStream' ? sendingStream(fn) : sending(fn, (params) => params);
      return withErrorClass(client, recordCall(recorder, definition, body, self, args));
    });
  const connecting = defineSpan({ key: 'mcp.connect', name: 'mcp.connect', captureInput: () => [] });
  // An application that connects when it starts has no trace of that; one that connects in its work has it answered in a replay.
  replaceMethod(client, 'connect', (fn, self, args) =>
    isInsideTracedWork()
      ? recordCall(recorder, connecting, fn, self, args)
      : (Reflect.apply(fn, self, args) as unknown),
  );
  return client;
}

/** Tools have a key each, so that a replay can let one of them run. */
function defineRequest(
  method: string,
  params: unknown,
  definitions: Map<string, SpanDefinition>,
): SpanDefinition {
  const { name: tool } = toMembers(params);
  const isTool = method.startsWith('callTool') && typeof tool === 'string' && definitions.size < MOST_KEYS;
  const key = isTool ? `mcp.${method}.${tool}` : `mcp.${method}`;
  let definition = definitions.get(key);
  if (definition === undefined) {
    definition = defineSpan({
      key,
      name: isTool ? tool : key,
      type: 'function',
      kind: isTool ? 'tool' : undefined,
      // Metadata is not part of the request.
      captureInput: ([request]) =>
        hasMembers(request) ? [membersWithout(request, '_meta')] : request === undefined ? [] : [request],
    });
    definitions.set(key, definition);
  }
  return definition;
}

/** The method, with the position of its span in `_meta`, where the protocol has room for it. */
function sending(fn: AnyFunction, prepare = withPosition): AnyFunction {
  return async function (this: unknown, ...[params, ...rest]: unknown[]): Promise<unknown> {
    const request = prepare(params);
    let result: unknown;
    try {
      result = await Reflect.apply(fn, this, [request, ...rest]);
    } catch (error) {
      if (isAborted(error, rest)) currentRecordingFrame()?.span?.finish('cancelled', undefined);
      throw error;
    }
    if (toMembers(result)['isError'] === true) contextStorage.getStore()?.span?.addContext({ isError: true });
    return result;
  };
}

function sendingStream(fn: AnyFunction): AnyFunction {
  return function (this: unknown, ...[params, ...rest]: unknown[]): unknown {
    return Reflect.apply(fn, this, [withPosition(params), ...rest]);
  };
}

function withPosition(params: unknown): unknown {
  const traced = injectTraceContext({ ...toMembers(toMembers(params)['_meta']) });
  return Object.keys(traced).length === 0 ? params : { ...toMembers(params), _meta: traced };
}

/** Whether the application took the request back. Its options come last: `callTool` has a schema before them. */
function isAborted(error: unknown, rest: readonly unknown[]): boolean {
  const { signal } = toMembers(rest.at(-1));
  return (error instanceof Error && error.name === 'AbortError') || toMembers(signal)['aborted'] === true;
}

/** What a replay answers throws errors of the client's package. */
function withErrorClass(client: object, answer: unknown): unknown {
  const { clientAnswers } = findReplayedCalls(currentReplayFrame()) ?? {};
  if (clientAnswers === undefined || !types.isPromise(answer)) return answer;
  const answered = answer.catch((error: unknown) => {
    throw (clientAnswers as ClientAnswers).mcpError(client, error);
  });
  // Nobody may wait for it.
  answered.catch(() => undefined);
  return answered;
}
