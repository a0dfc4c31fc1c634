import type { IncomingMessage } from 'node:http';
import { clearTimeout, setTimeout } from '../timers.js';

/** The response to a request. */
export interface Answer {
  readonly status: number;
  /** Values of `Retry-After` and `Location`. */
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** The body, cut where reading ended. */
  readonly text: string;
  /** Whether the body is complete. */
  readonly isWhole: boolean;
}

/** A raw response. */
export interface RawAnswer extends Omit<Answer, 'text'> {
  /** `Content-Encoding`: some proxies compress without being asked. */
  readonly encoding: string | undefined;
  readonly body: Uint8Array;
}

/** Enough for each record to be rejected by name. */
const LARGEST_BYTES = 256 * 1024;
const LARGEST_BYTES_A_RECORD = 1024;
const LARGEST_DECOMPRESSED_BYTES = 16 * 1024 * 1024;
const SLOWEST_MS = 5000;

/** Reads a response that may be endless, slow or cut off; then it is incomplete. Never fails. */
export function readAnswer(response: IncomingMessage, records: number, done: (answer: Answer) => void): void {
  const largestBytes = LARGEST_BYTES + records * LARGEST_BYTES_A_RECORD;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = () => {
    clearTimeout(timer);
    response.off('data', take).off('close', finish).off('end', finish);
    const isWhole = response.complete;
    if (!isWhole) response.destroy();
    const { headers } = response;
    done(
      decodeAnswer({
        status: response.statusCode ?? 0,
        retryAfter: headers['retry-after'],
        location: headers.location,
        encoding: headers['content-encoding'],
        body: Buffer.concat(chunks),
        isWhole,
      }),
    );
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

/** Decompresses the body, up to the size that is read of a plain one. What cannot be decompressed is an empty text. */
export function decodeAnswer({ encoding, body, ...answer }: RawAnswer): Answer {
  const text = decompress(Buffer.from(body), encoding?.trim().toLowerCase() ?? 'identity');
  return { ...answer, text: text?.toString('utf8') ?? '', isWhole: answer.isWhole && text !== undefined };
}

function decompress(body: Buffer, encoding: string): Buffer | undefined {
  const zlib = process.getBuiltinModule('node:zlib');
  const bound = { maxOutputLength: LARGEST_DECOMPRESSED_BYTES };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.gunzipSync(body, bound);
    if (encoding === 'br') return zlib.brotliDecompressSync(body, bound);
    if (encoding === 'deflate') return zlib.inflateSync(body, bound);
    return body;
  } catch {
    return undefined;
  }
}
