import type { IncomingMessage } from 'node:http';
import { clearTimeout, setTimeout } from '../timers.js';

/** What came back for a request. */
export interface Answer {
  readonly status: number;
  /** Values of `Retry-After` and `Location`. */
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** The body, cut where reading ended. */
  readonly text: string;
  /** Whether all of the body came. */
  readonly isWhole: boolean;
}

/** Enough for each record to be rejected by name. */
const LARGEST_BYTES = 256 * 1024;
const LARGEST_BYTES_A_RECORD = 1024;
const SLOWEST_MS = 5000;

/** Reads an answer that may be endless, slow or cut short: then it is not whole. This never fails. */
export function readAnswer(response: IncomingMessage, records: number, done: (answer: Answer) => void): void {
  const largestBytes = LARGEST_BYTES + records * LARGEST_BYTES_A_RECORD;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = () => {
    clearTimeout(timer);
    response.off('data', take).off('close', finish).off('end', finish);
    const isWhole = response.complete;
    if (!isWhole) response.destroy();
    done({
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      location: response.headers.location,
      text: Buffer.concat(chunks).toString('utf8'),
      isWhole,
    });
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > largestBytes) finish();
  };
  const timer = setTimeout(finish, SLOWEST_MS).unref();
  response.on('error', () => undefined);
  response.on('data', take).on('end', finish).on('close', finish);
}
