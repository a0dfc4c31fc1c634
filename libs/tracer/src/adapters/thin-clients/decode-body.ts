import { parsed } from '../readers.js';

/** The data in the body of a request or an answer, which is bytes of JSON. */
export function decodeBody(body: unknown): unknown {
  return parsed(body instanceof Uint8Array ? new TextDecoder().decode(body) : body);
}
