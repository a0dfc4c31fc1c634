import { isJsonObject } from '@dacapo/protocol';
import type { TracerError } from '../../errors.js';
import { ServiceResponseError } from '../../service/errors.js';
import { ServiceRedirectError, UnauthorizedError, UnexpectedAnswerError } from '../errors.js';
import type { Answer } from './answer.js';
import { parseRetryAfter } from './retry-delay.js';

/** What an answer means for the batch. */
export type Outcome =
  /** Stored, but for the lines in `rejected`: from 1, each with the service's sentence. */
  | { readonly kind: 'stored'; readonly rejected: ReadonlyMap<number, string> }
  /** Try the same again later. */
  | { readonly kind: 'later'; readonly error: TracerError; readonly retryAfterMs?: number | undefined }
  /** Nothing can be sent until the key, the address or what stands before it is corrected. */
  | { readonly kind: 'paused'; readonly error: TracerError }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'encoding_refused' }
  /** This batch will never be taken. */
  | { readonly kind: 'refused'; readonly detail: string };

const LATER = new Set([408, 425, 429]);
/** SPEC 7: a 404 says that the key's account is gone, or that the service knows no key; else the address is wrong. */
const KEY_OR_ADDRESS = new Set([401, 403, 404]);
/** Says that the content is wrong, which no later try changes. All other 4xx are of the address, or of what stands before it. */
const CONTENT = new Set([400, 422]);

/** Reads an answer to a batch of `lines` lines (SPEC 2.5, 7). */
export function outcomeOf(answer: Answer, lines: number, compressed: boolean, epochMs: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300) return storedOutcome(answer, lines);
  const detail = detailOf(answer);
  if (status >= 300 && status < 400) {
    return { kind: 'paused', error: new ServiceRedirectError(status, answer.location ?? 'another address') };
  }
  if (KEY_OR_ADDRESS.has(status)) return { kind: 'paused', error: new UnauthorizedError(status, detail) };
  if (status === 413) return { kind: 'too_large' };
  if (status === 415 && compressed) return { kind: 'encoding_refused' };
  if (LATER.has(status) || status < 400 || status >= 500) {
    return {
      kind: 'later',
      error: new ServiceResponseError(status, detail, 'Sending records'),
      retryAfterMs: parseRetryAfter(answer.retryAfter, epochMs),
    };
  }
  if (CONTENT.has(status)) return { kind: 'refused', detail: `${status}: ${detail}` };
  return { kind: 'paused', error: new UnexpectedAnswerError(status, detail) };
}

/**
 * A 2xx stores nothing by itself: a captive portal, a proxy or another program says it too. Only an answer of ours counts,
 * which speaks of each line.
 */
function storedOutcome({ status, text, isWhole }: Answer, lines: number): Outcome {
  const body = parse(text);
  const rejected = rejectedLines(body, lines);
  if (rejected !== undefined && isJsonObject(body) && body['accepted'] === lines - rejected.size)
    return { kind: 'stored', rejected };
  if (!isWhole)
    return { kind: 'later', error: new UnexpectedAnswerError(status, 'an answer that was cut off') };
  return { kind: 'paused', error: new UnexpectedAnswerError(status, describeAnswer(text)) };
}

/** The rejected lines; `undefined` when this is no list of them. */
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
  return parse(text) === undefined ? 'something that is no JSON' : 'JSON that does not speak of each record';
}

function detailOf({ text, status }: Answer): string {
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
