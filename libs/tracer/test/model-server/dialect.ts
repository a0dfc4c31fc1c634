import type { ModelReply } from './model-reply.js';
import type { ModelRequest } from './model-request.js';

/** How one provider writes a whole answer, and the events of a streamed one. */
export interface Dialect {
  matches(request: ModelRequest): boolean;
  isStream(request: ModelRequest): boolean;
  whole(request: ModelRequest, reply: ModelReply): object;
  events(request: ModelRequest, reply: ModelReply): { event?: string; data: object | string }[];
}

/** What is answered where nothing else is asked for. */
export const TEXT = 'Hello.';
