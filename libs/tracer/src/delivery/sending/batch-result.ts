import { isJsonObject, parseRetryAfter } from '@dacapo/protocol';
import type { TracerError } from '../../errors.js';
import { ServiceResponseError } from '../../service/errors.js';
import { ServiceRedirectError, UnauthorizedError, UnexpectedAnswerError } from '../errors.js';
import type { Answer } from './answer.js';

/** The tracer retries after five minutes even if the service requests a longer delay. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** The meaning of an answer for the batch. */
export type BatchResult =
  /** Stored, except the lines in `rejected`: numbered from 1, each with the service's message. */
  | { readonly kind: 'stored'; readonly rejected: ReadonlyMap<number, string> }
  /** Send the same batch again later. */
  | { readonly kind: 'later'; readonly error: TracerError; readonly retryAfterMs?: number | undefined }
  /** The key or the proxy's credentials are wrong: no batch can be sent until someone corrects them. */
  | { readonly kind: 'paused'; readonly error: TracerError }
  | { readonly kind: 'too_large'; readonly refusal: Refusal }
  | { readonly kind: 'encoding_refused' }
  /** Either only this batch is refused or every batch: the answers to other batches decide. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An answer that stores nothing and requests no later attempt. */
export interface Refusal {
  readonly status: number;
  readonly detail: string;
  /** What to report if the service refuses every batch. */
  readonly error: TracerError;
}

const LATER = new Set([408, 425, 429]);
/** These concern the credentials, never one batch. */
const CREDENTIALS = new Set([401, 407]);
/** SPEC 7: a 404 means that the key's account is deleted; otherwise the address is wrong. */
const KEY_OR_ADDRESS = new Set([401, 403, 404]);

/** Reads an answer to a batch of `lines` lines (SPEC 2.5, 7). */
export function readBatchResult(
  answer: Answer,
  lines: number,
  compressed: boolean,
  epochMs: number,
): BatchResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return readStored(answer, lines);
  const detail = readDetail(answer);
  if (status === 415 && compressed) return { kind: 'encoding_refused' };
  if (LATER.has(status) || status < 300 || status >= 500) {
    const retryAfterMs = parseRetryAfter(answer.retryAfter, epochMs);
    return {
      kind: 'later',
      error: new ServiceResponseError(status, detail, 'Sending records'),
      retryAfterMs: retryAfterMs && Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
    };
  }
  const error = refusalError(answer, detail);
  if (CREDENTIALS.has(status)) return { kind: 'paused', error };
  return { kind: status === 413 ? 'too_large' : 'refused', refusal: { status, detail, error } };
}

function refusalError({ status, location }: Answer, detail: string): TracerError {
  if (status < 400) return new ServiceRedirectError(status, location ?? 'another address');
  if (KEY_OR_ADDRESS.has(status)) return new UnauthorizedError(status, detail);
  return new UnexpectedAnswerError(status, detail);
}

/**
 * A 2xx alone proves nothing: a captive portal, a proxy or another program may send it. Only an answer of the service counts,
 * which covers each line.
 */
function readStored({ status, text, isWhole }: Answer, lines: number): BatchResult {
  const body = parse(text);
  const rejected = rejectedLines(body, lines);
  if (rejected !== undefined && isJsonObject(body) && body['accepted'] === lines - rejected.size)
    return { kind: 'stored', rejected };
  if (!isWhole)
    return { kind: 'later', error: new UnexpectedAnswerError(status, 'an answer that was cut off') };
  const detail = describeAnswer(text);
  return { kind: 'refused', refusal: { status, detail, error: new UnexpectedAnswerError(status, detail) } };
}

/** The rejected lines; `undefined` if the answer does not list them. */
function rejectedLines(body: unknown, lines: number): ReadonlyMap<number, string> | undefined {
  if (!isJsonObject(body) || !Array.isArray(body['rejected'])) return undefined;
  const rejected = new Map<number, string>();
  for (const rejection of body['rejected']) {
    if (!isJsonObject(rejection)) return undefined;
    const { line, detail } = rejection;
    const isSent = typeof line === 'number' && Number.isInteger(line) && line >= 1 && line <= lines;
    if (!isSent || rejected.has(line)) return undefined;
    rejected.set(line, typeof detail === 'string' ? detail : 'no reason given');
  }
  return rejected;
}

function describeAnswer(text: string): string {
  if (text.trim() === '') return 'no body';
  return parse(text) === undefined ? 'no JSON' : 'JSON that does not cover each record';
}

function readDetail({ text, status }: Answer): string {
  const body = parse(text);
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  return typeof detail === 'string' ? detail.slice(0, 500) : `status ${status}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
