import type { IncomingHttpHeaders } from 'node:http';
import { newTraceId } from '@dacapo/protocol';

/** In every answer and every line of the log. */
export const REQUEST_ID = 'x-request-id';

const VALID = /^[\w.:+/=-]{1,128}$/;
/** An API key in the wrong header is not logged. */
const KEY = /^dcp_/;
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/;

/** The request's `x-request-id`, else the trace id of its `traceparent`, else a new id. */
export function resolveRequestId({ [REQUEST_ID]: received, traceparent }: IncomingHttpHeaders): string {
  if (typeof received === 'string' && VALID.test(received) && !KEY.test(received)) return received;
  const traceId = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return traceId !== undefined && /[^0]/.test(traceId) ? traceId : newTraceId();
}
