import { types } from 'node:util';
import { hasMembers, toMembers, type UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { findProvider } from '../find-provider.js';
import { text } from '../readers.js';

export type Fetch = (...args: unknown[]) => Promise<unknown>;

/** How one try of a request ended. */
interface Attempt {
  readonly status?: number;
  readonly error?: string;
}

/** What is seen of a request on its way. */
export interface SentRequest {
  readonly attempts: readonly Attempt[];
  /** As the server named the last try. */
  readonly requestId?: string | undefined;
  /** Cost and provider, where a gateway reports them in the headers of its response. */
  readonly billing?: UsageRecord | undefined;
}

const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-goog-request-id'];

interface OpenRequest extends SentRequest {
  readonly attempts: Attempt[];
  requestId?: string | undefined;
  billing?: UsageRecord | undefined;
  hear?: (response: object) => void;
}

const sent = new WeakMap<ActiveSpan, OpenRequest>();
const counting = new WeakSet<object>();

/** The request that a span is of; `undefined` where it is not seen. */
export function findSentRequest(span: ActiveSpan): SentRequest | undefined {
  return sent.get(span);
}

/** Notes the tries of the request that the span is of from here on. */
export function countAttempts(span: ActiveSpan): void {
  sent.set(span, { attempts: [] });
}

/** Calls `hear` with the successful response to the request that the span is of, before the client reads it. */
export function hearResponse(span: ActiveSpan, hear: (response: object) => void): void {
  const request = sent.get(span);
  if (request !== undefined) request.hear = hear;
}

/** Has a client tell of each try: it keeps the `fetch` that it sends them with in a property of that name. */
export function seeAttempts(client: object): void {
  const send: unknown = Reflect.get(client, 'fetch');
  if (typeof send !== 'function' || counting.has(send) || !Object.hasOwn(client, 'fetch')) return;
  const seen = countingFetch(send as Fetch);
  counting.add(seen);
  Reflect.set(client, 'fetch', seen);
}

/** The same `fetch`, each of whose calls is a try of the request that is recorded around it. */
export function countingFetch(send: Fetch): Fetch {
  return new Proxy(send, {
    apply: (target, self: unknown, args: unknown[]) => seeAttempt(() => Reflect.apply(target, self, args)),
  });
}

/** Sends one try of the request that is recorded around it, and notes how it ended; or several, which are not counted. */
export function seeAttempt(send: () => unknown, isOne = true): unknown {
  const span = currentRecordingFrame()?.span;
  const request = span && sent.get(span);
  const answered = send();
  if (request === undefined || !types.isPromise(answered)) return answered;
  const index = isOne ? request.attempts.push({}) - 1 : -1;
  const note = (attempt: Attempt): void => {
    if (isOne) request.attempts[index] = attempt;
  };
  return answered.then(
    (response: unknown) => {
      const { status } = toMembers(response);
      if (typeof status === 'number') note({ status });
      request.requestId = readRequestId(response) ?? request.requestId;
      request.billing = readLiteLlmBilling(response);
      if (hasMembers(response) && response['ok'] === true) request.hear?.(response);
      return response;
    },
    (error: unknown) => {
      note({ error: error instanceof Error ? error.name : typeof error });
      throw error;
    },
  );
}

/** The name that a server gave a request, by the headers of its response. */
export function readRequestId(response: unknown): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = readHeader(response, name);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** LiteLLM's proxy reports what a request cost in US dollars, and the address that it asked. */
function readLiteLlmBilling(response: unknown): UsageRecord | undefined {
  const reported = Number(readHeader(response, 'x-litellm-response-cost'));
  const cost = Number.isFinite(reported) ? reported : 0;
  const provider = findProvider(readHeader(response, 'x-litellm-model-api-base'));
  if (!(cost > 0) && provider === undefined) return undefined;
  return { ...(cost > 0 && { cost_usd: cost }), ...text('provider', provider) };
}

function readHeader(response: unknown, name: string): string | undefined {
  const headers = toMembers(toMembers(response)['headers']) as { get?: (name: string) => unknown };
  const value = typeof headers.get === 'function' ? headers.get(name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What a response says of itself, in the output of its span. */
export interface ResponseHead {
  readonly status: unknown;
  readonly contentType: string | undefined;
  /** The body is a stream of Node, as that of `node-fetch`, which `openai` 4 sends requests with. */
  readonly isNodeStream?: true;
}

export function readHead(response: unknown): ResponseHead {
  return { status: toMembers(response)['status'], contentType: readHeader(response, 'content-type') };
}
