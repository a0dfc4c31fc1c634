import { isJsonObject } from '@dacapo/protocol';
import type { TracerError } from '../../errors.js';
import { ServiceResponseError } from '../../service/errors.js';
import { ServiceRedirectError, UnauthorizedError } from '../errors.js';
import type { Answer } from './answer.js';
import { parseRetryAfter } from './retry-delay.js';

/** What an answer means for the batch. */
export type Outcome =
  /** Stored, but for the lines in `rejected`: from 1, each with the service's sentence. */
  | { readonly kind: 'stored'; readonly rejected: ReadonlyMap<number, string> }
  /** Try the same again later. */
  | { readonly kind: 'later'; readonly error: TracerError; readonly retryAfterMs?: number | undefined }
  /** Nothing can be sent until the key or the address is corrected. */
  | { readonly kind: 'paused'; readonly error: TracerError }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'encoding_refused' }
  /** This batch will never be taken. */
  | { readonly kind: 'refused'; readonly detail: string };

const LATER = new Set([408, 425, 429]);
/** SPEC 7: a 404 says that the key's account is gone, or that the service knows no key; else the address is wrong. */
const KEY_OR_ADDRESS = new Set([401, 403, 404]);

/** Reads an answer to a batch of `lines` lines (SPEC 2.5, 7). */
export function outcomeOf(answer: Answer, lines: number, compressed: boolean, epochMs: number): Outcome {
  const { status } = answer;
  if (status >= 200 && status < 300)
    return { kind: 'stored', rejected: rejectedLines(parse(answer.text), lines) };
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
  return { kind: 'refused', detail: `${status}: ${detail}` };
}

function rejectedLines(body: unknown, lines: number): ReadonlyMap<number, string> {
  const rejected = new Map<number, string>();
  if (!isJsonObject(body) || !Array.isArray(body['rejected'])) return rejected;
  for (const rejection of body['rejected']) {
    if (!isJsonObject(rejection)) continue;
    const { line, detail } = rejection;
    if (typeof line === 'number' && Number.isInteger(line) && line >= 1 && line <= lines) {
      rejected.set(line, typeof detail === 'string' ? detail : 'no reason given');
    }
  }
  return rejected;
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
