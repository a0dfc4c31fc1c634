import { routePath, ROUTES, type TraceDetail } from '@dacapo/protocol';
import { ServiceRefusedError, SpanLostError } from '../errors.js';
import type { Connection } from '../service/connection.js';
import type { ServiceClient } from '../service/service-client.js';

const TRACE_FUNCTION_KEY = 'dacapo.doctor';
const FLUSH_MS = 10_000;

/**
 * Sends one span as an application would, and reads it back.
 *
 * @throws SpanLostError when it is not stored
 */
export async function checkSpan({ url, apiKey }: Connection, client: ServiceClient): Promise<string> {
  const { Tracer } = await import('@dacapo/tracer');
  const failures: Error[] = [];
  const tracer = new Tracer({
    serviceUrl: url,
    apiKey,
    onError: (error) => failures.push(error),
    logger: { warn: () => undefined },
  });
  const startedAt = performance.now();
  const examine = tracer.withSpan(TRACE_FUNCTION_KEY, () => tracer.getCurrentSpan().traceId);
  const traceId = examine();
  await tracer.flush(FLUSH_MS);
  await tracer.shutdown(FLUSH_MS);
  if (failures[0]) throw new SpanLostError({ cause: failures[0] });

  await readBack(client, traceId);
  return `sent and read back in ${Math.round(performance.now() - startedAt)} ms (trace ${traceId})`;
}

async function readBack(client: ServiceClient, traceId: string): Promise<void> {
  try {
    await client.get<TraceDetail>(routePath(ROUTES.trace, { id: traceId }), 'id', 'spans');
  } catch (error) {
    throw error instanceof ServiceRefusedError && error.status === 404 ? new SpanLostError() : error;
  }
}
