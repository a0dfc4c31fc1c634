import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.js';

const MAX_BYTES = 4 * 1024 * 1024;

/** @throws ApiError if the body is too large or not JSON */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new ApiError(413, 'invalid_request_error', 'The body is larger than 4 MiB.');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new ApiError(400, 'invalid_request_error', 'The body is not JSON.');
  }
}
