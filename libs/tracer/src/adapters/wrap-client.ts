import { types } from 'node:util';
import { hasMembers, type Members, toMembers, type UsageRecord } from '@dacapo/protocol';
import { InvalidOptionError } from '../errors.js';
import { type ModelCallOptions, resolveModelCallOptions } from '../options/model-call-options.js';
import type { ActiveSpan } from '../recording/active-span.js';
import type { Recorder } from '../recording/recorder.js';
import { observeResult } from '../recording/result/observe-result.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import { ANTHROPIC } from './anthropic/anthropic.js';
import { GOOGLE } from './google-genai/google.js';
import { GOOGLE_REQUESTS } from './google-genai/google-requests.js';
import { OPENAI } from './openai/openai.js';
import type { PendingRequest } from './langchain/langchain-runs.js';
import { text } from './readers.js';
import { THIN_CLIENTS } from './thin-clients/thin-clients.js';
import { seeAttempts } from './clients/attempts.js';
import { callModel, defineModelCall, type RequestKind, type WrappedMethod } from './clients/call-model.js';
import { followPlainPromise, followRequest, isLazyRequest } from './clients/follow-request.js';
import type { ModelMethod, Vendor } from './clients/model-method.js';
import { loadReading } from './clients/model-recording.js';
import { replaceMethod } from './clients/replace-method.js';

/** The clients of OpenAI and Anthropic, and of those who speak like them, are made by one generator, Stainless. */
const STAINLESS_REQUESTS: RequestKind = {
  seeAttempts,
  follow(result, recording) {
    if (isLazyRequest(result)) {
      followRequest(result, recording);
      return result;
    }
    return types.isPromise(result)
      ? followPlainPromise(result, recording)
      : observeResult(recording.span, result);
  },
  answers: ({ stainless }) => stainless,
};

const VENDORS: readonly (readonly [Vendor, RequestKind])[] = [
  [OPENAI, STAINLESS_REQUESTS],
  [ANTHROPIC, STAINLESS_REQUESTS],
  [GOOGLE, GOOGLE_REQUESTS],
  ...THIN_CLIENTS,
];

/** The options of the clients whose methods are recorded, by recorder. */
const wrapped = new WeakMap<Recorder, WeakMap<object, ClientOptions>>();
export interface WrapClientParts {
  /** Absent while tracing is off. */
  readonly recorder: Recorder | undefined;
  readonly findRun: (pending: PendingRequest) => ActiveSpan | undefined;
}

interface ClientOptions {
  current: ModelCallOptions | undefined;
}

const definitions = new WeakMap<ModelMethod, SpanDefinition>();

/**
 * Records the requests of a client, which stays the very object: its own methods, helpers and subclasses, with all that
 * they keep private, go on as they are, and whatever sends a request is recorded.
 *
 * @param result a second wrapping changes them
 * @throws InvalidOptionError when the client is not supported or cannot be changed, or an option is invalid
 */
export function wrapClient<C extends object>(
  client: C,
  { recorder, findRun }: WrapClientParts,
  result?: ModelCallOptions,
): C {
  const options = result && resolveModelCallOptions(result);
  const known = hasMembers(client) ? VENDORS.find(([vendor]) => vendor.isClient(client)) : undefined;
  if (known === undefined) throw unknownClient(client);
  if (recorder === undefined) return client;
  const done = wrapped.get(recorder)?.get(client);
  if (done === undefined) wrapMethods(client, { recorder, findRun }, known, { current: options });
  else done.current = options ?? done.current;
  return client;
}

function wrapMethods(
  client: object,
  { recorder, findRun }: WrapClientParts & { readonly recorder: Recorder },
  [vendor, kind]: readonly [Vendor, RequestKind],
  options: ClientOptions,
): void {
  const done = wrapped.get(recorder) ?? new WeakMap<object, ClientOptions>();
  wrapped.set(recorder, done);
  if (done.has(client)) return;
  done.set(client, options);
  const provider = vendor.findProvider(client as Members);
  for (const method of vendor.methods) {
    const owner = findOwner(client, method.path);
    const names = [method.sentBy, method.path.at(-1)];
    const name = names.find((one) => one !== undefined && typeof owner?.[one] === 'function');
    if (owner === undefined || name === undefined) continue;
    const definition = defineMethod(vendor, method);
    // The first answer takes longer to come than this.
    loadReading(method).catch((error: unknown) => {
      recorder.failed('loading the reader of client answers', error);
    });
    const readBody = (request: unknown): Members => method.body?.(toMembers(request)) ?? toMembers(request);
    const describe = ([request]: readonly unknown[]): UsageRecord => {
      const { model, modelId } = readBody(request);
      return { ...text('model', model ?? modelId), ...text('provider', provider) };
    };
    const findRequestRun = ([request]: readonly unknown[]): ActiveSpan | undefined =>
      findRun({
        model: readBody(request)['model'],
        prompt: () => method.reader.current?.prompt(readBody(request)),
      });
    const call: WrappedMethod = {
      recorder,
      definition,
      method,
      kind,
      describe,
      client,
      options,
      findRun: findRequestRun,
    };
    replaceMethod(owner, name, (fn, self, args) =>
      method.takes?.(args[0]) === false
        ? (Reflect.apply(fn, self, args) as unknown)
        : callModel(call, fn, self, args),
    );
  }
  recorder.guard('observing the attempts of a client', () => {
    kind.seeAttempts(client);
  });
  // A client with other options is another client.
  if (typeof Reflect.get(client, 'withOptions') !== 'function') return;
  replaceMethod(client, 'withOptions', (fn, self, args) => {
    const other: unknown = Reflect.apply(fn, self, args);
    if (hasMembers(other) && vendor.isClient(other))
      wrapMethods(other, { recorder, findRun }, [vendor, kind], { ...options });
    return other;
  });
}

/** One for all clients: an application may make one for each request. */
function defineMethod(vendor: Vendor, method: ModelMethod): SpanDefinition {
  const known = definitions.get(method);
  if (known !== undefined) return known;
  const definition = defineModelCall(`${vendor.name}.${method.key ?? method.path.join('.')}`, method);
  definitions.set(method, definition);
  return definition;
}

function findOwner(client: object, path: readonly string[]): Members | undefined {
  let owner: unknown = client;
  for (const name of path.slice(0, -1)) owner = hasMembers(owner) ? owner[name] : undefined;
  return hasMembers(owner) ? owner : undefined;
}

function unknownClient(client: unknown): InvalidOptionError {
  const { callTool } = (hasMembers(client) ? client : {}) as { callTool?: unknown };
  return new InvalidOptionError(
    'client',
    'is not a client that wrapClient supports',
    typeof callTool === 'function'
      ? 'For a client of the Model Context Protocol, use wrapMcpClient(client).'
      : 'Pass an instance of OpenAI, Anthropic, GoogleGenAI or another client of docs/clients.md, or record the function that calls the model with withSpan.',
  );
}
