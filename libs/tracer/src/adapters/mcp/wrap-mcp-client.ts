import { types } from 'node:util';
import { contextStorage } from '../../context/context-storage.js';
import { injectTraceContext, isInsideTracedWork } from '../../context/propagation.js';
import { InvalidOptionError } from '../../errors.js';
import { recordCall } from '../../recording/record-call.js';
import type { Recorder } from '../../recording/recorder.js';
import { currentRecordingFrame, currentReplayFrame } from '../../recording/recording-frame.js';
import { type AnyFunction, defineSpan, type SpanDefinition } from '../../recording/span-definition.js';
import { replaceMethod } from '../clients/replace-method.js';
import { findPackageOf } from '../package-copies.js';
import { fieldsOf, fieldsWithout, isFields } from '../readers.js';
import { withVendorClass } from '../vendor-errors.js';

/** The methods that ask a server for something. */
const METHODS = ['callTool', 'listTools', 'readResource', 'getPrompt'];
/** Further ones, of which a version may lack some. */
const FURTHER_METHODS = ['listResources', 'listResourceTemplates', 'listPrompts', 'complete'];
/** How many tools have a key of their own; a server names its tools. */
const MOST_KEYS = 1000;

const wrapped = new WeakMap<Recorder, WeakSet<object>>();

/**
 * Records what a client of the Model Context Protocol asks of its server, which stays the very object.
 *
 * @throws InvalidOptionError when it is no such client, or cannot be changed
 */
export function wrapMcpClient<C extends object>(client: C, recorder: Recorder | undefined): C {
  if (!isFields(client) || !METHODS.every((name) => typeof client[name] === 'function')) {
    throw new InvalidOptionError(
      'client',
      'is no client of the Model Context Protocol',
      'Pass an instance of Client of @modelcontextprotocol/sdk; a client of a model is for wrapClient.',
    );
  }
  if (recorder === undefined) return client;
  const done = wrapped.get(recorder) ?? new WeakSet();
  wrapped.set(recorder, done);
  if (done.has(client)) return client;
  done.add(client);
  const definitions = new Map<string, SpanDefinition>();
  for (const name of [...METHODS, ...FURTHER_METHODS].filter((one) => typeof client[one] === 'function'))
    replaceMethod(client, name, (fn, self, args) => {
      const definition = definitionOf(name, args[0], definitions);
      return withErrorClass(client, recordCall(recorder, definition, sending(fn), self, args));
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
function definitionOf(
  method: string,
  params: unknown,
  definitions: Map<string, SpanDefinition>,
): SpanDefinition {
  const { name: tool } = fieldsOf(params);
  const isTool = method === 'callTool' && typeof tool === 'string' && definitions.size < MOST_KEYS;
  const key = isTool ? `mcp.callTool.${tool}` : `mcp.${method}`;
  let definition = definitions.get(key);
  if (definition === undefined) {
    definition = defineSpan({
      key,
      name: isTool ? tool : key,
      type: 'function',
      kind: isTool ? 'tool' : undefined,
      // What travels along is no part of the question.
      captureInput: ([asked]) => (isFields(asked) ? [fieldsWithout(asked, '_meta')] : []),
    });
    definitions.set(key, definition);
  }
  return definition;
}

/** The method, with the position of its span in `_meta`, where the protocol has room for it. */
function sending(fn: AnyFunction): AnyFunction {
  return async function (this: unknown, ...[params, ...rest]: unknown[]): Promise<unknown> {
    const traced = injectTraceContext({ ...fieldsOf(fieldsOf(params)['_meta']) });
    const asked = Object.keys(traced).length === 0 ? params : { ...fieldsOf(params), _meta: traced };
    let result: unknown;
    try {
      result = await Reflect.apply(fn, this, [asked, ...rest]);
    } catch (error) {
      if (isAborted(error, rest)) currentRecordingFrame()?.span?.finish('cancelled', undefined);
      throw error;
    }
    if (fieldsOf(result)['isError'] === true) contextStorage.getStore()?.span?.addContext({ isError: true });
    return result;
  };
}

/** Whether the application took the request back. Its options come last: `callTool` has a schema before them. */
function isAborted(error: unknown, rest: readonly unknown[]): boolean {
  const { signal } = fieldsOf(rest.at(-1));
  return (error instanceof Error && error.name === 'AbortError') || fieldsOf(signal)['aborted'] === true;
}

/** What a replay answers throws errors of the client's package: version 1 has the class in another module than the client. */
function withErrorClass(client: object, answer: unknown): unknown {
  if (currentReplayFrame() === undefined || !types.isPromise(answer)) return answer;
  const answered = answer.catch((error: unknown) => {
    const sdk = findPackageOf(client, '@modelcontextprotocol/sdk', './client/index.js');
    const one = findPackageOf(client, '@modelcontextprotocol/client');
    throw withVendorClass(error, sdk?.load('@modelcontextprotocol/sdk', './types.js'), one?.exports);
  });
  // Nobody may wait for it.
  answered.catch(() => undefined);
  return answered;
}
