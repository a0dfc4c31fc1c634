import { types } from 'node:util';
import { hasMembers, toMembers, type UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { findProvider } from '../find-provider.js';
import { text } from '../readers.js';

export type Fetch = (...args: unknown[]) => Promise<unknown>;

/** The result of one attempt of a request. */
interface Attempt {
  readonly status?: number;
  readonly error?: string;
}

/** Facts about a sent request. */
export interface SentRequest {
  readonly attempts: readonly Attempt[];
  /** The server's id for the last attempt. */
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

/** Returns the request of a span; `undefined` if its attempts are not observed. */
export function findSentRequest(span: ActiveSpan): SentRequest | undefined {
  return sent.get(span);
}

/** Starts to note the attempts of the span's request. */
export function countAttempts(span: ActiveSpan): void {
  sent.set(span, { attempts: [] });
}

/** Calls `hear` with the successful response to the span's request, before the client reads it. */
export function hearResponse(span: ActiveSpan, hear: (response: object) => void): void {
  const request = sent.get(span);
  if (request !== undefined) request.hear = hear;
}

/** Makes a client report each attempt: clients send them with the `fetch` in their property of that name. */
export function seeAttempts(client: object): void {
  const send: unknown = Reflect.get(client, 'fetch');
  if (typeof send !== 'function' || counting.has(send) || !Object.hasOwn(client, 'fetch')) return;
  const seen = countingFetch(send as Fetch);
  counting.add(seen);
  Reflect.set(client, 'fetch', seen);
}

/** Wraps `fetch` so that each call counts as an attempt of the request that is recorded around it. */
export function countingFetch(send: Fetch): Fetch {
  return new Proxy(send, {
    apply: (target, self: unknown, args: unknown[]) => seeAttempt(() => Reflect.apply(target, self, args)),
  });
}

/** Sends an attempt of the request that is recorded around it, and notes its result. With `isOne` false, attempts are not counted. */
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

/** Reads the server's request id from the response headers. */
export function readRequestId(response: unknown): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = readHeader(response, name);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** LiteLLM's proxy reports the cost of a request in US dollars, and the address to which it sent it. */
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

/** Facts about a response, recorded in the output of its span. */
export interface ResponseHead {
  readonly status: unknown;
  readonly contentType: string | undefined;
  /** The body is a stream of Node, as that of `node-fetch`, which `openai` 4 sends requests with. */
  readonly isNodeStream?: true;
}

export function readHead(response: unknown): ResponseHead {
  return { status: toMembers(response)['status'], contentType: readHeader(response, 'content-type') };
}
