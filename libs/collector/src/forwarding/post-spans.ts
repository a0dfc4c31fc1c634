import { isJsonObject, parseRetryAfter } from '@dacapo/protocol';
import { writeJsonRequest, type WrittenOtlpSpan } from '@dacapo/protocol/otlp';
import { errorMessage } from '../errors.js';
import type { OtlpTarget } from '../otlp-target.js';

/** How a receiver answered a request. */
export type OtlpAnswer =
  | { readonly kind: 'accepted'; readonly rejected: number; readonly reason: string }
  /** It may accept the request later, or with other settings. */
  | { readonly kind: 'later'; readonly problem: string; readonly retryAfterMs?: number }
  /** The server failed. It may accept the request later, or never. */
  | { readonly kind: 'failed'; readonly problem: string; readonly retryAfterMs?: number }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'too large'; readonly problem: string };

const TIMEOUT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;
const TOO_LARGE = 413;

/** Statuses of a wrong address or key. The request is accepted once that is corrected. */
const SETTINGS: Readonly<Record<number, string>> = {
  401: 'check the headers that hold its key',
  403: 'check what its key may do',
  404: 'check the address',
  405: 'check the address',
  415: 'it must accept OTLP as JSON',
};

/** Statuses of a receiver, or a proxy in front of it, that is busy or away. */
const BUSY = new Set([408, 425, 429, 502, 503, 504]);

/** Sends one request. Rejects only when `signal` is aborted. */
export async function postSpans(
  { url, headers }: OtlpTarget,
  spans: readonly WrittenOtlpSpan[],
  signal: AbortSignal,
): Promise<OtlpAnswer> {
  const body = JSON.stringify(writeJsonRequest(spans));
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'later', problem: `The receiver cannot be reached: ${rootMessage(error)}` };
  }
  return response.ok ? readPartialSuccess(text) : readRefusal(response);
}

function readRefusal({ status, headers }: Response): OtlpAnswer {
  const problem = `The receiver answered ${status}`;
  const cure = status >= 300 && status < 400 ? 'write the address that it redirects to' : SETTINGS[status];
  if (cure !== undefined) return { kind: 'later', problem: `${problem}: ${cure}` };
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), Date.now());
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) };
  if (BUSY.has(status)) return { kind: 'later', problem, ...wait };
  if (status >= 500) return { kind: 'failed', problem, ...wait };
  return { kind: status === TOO_LARGE ? 'too large' : 'refused', problem };
}

/** With a successful status, an empty or unreadable body means full success. */
function readPartialSuccess(text: string): OtlpAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  const partial = isJsonObject(answer) ? answer['partialSuccess'] : undefined;
  const { rejectedSpans, errorMessage: reason } = isJsonObject(partial) ? partial : {};
  const rejected = Number(rejectedSpans ?? 0);
  return {
    kind: 'accepted',
    rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0,
    reason: typeof reason === 'string' ? reason : '',
  };
}

/** The cause of an error of `fetch`, whose own message is only "fetch failed". */
function rootMessage(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? errorMessage(error) : rootMessage(cause);
}
