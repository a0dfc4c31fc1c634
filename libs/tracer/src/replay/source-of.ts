import { type RecordedCall, routePath, ROUTES, type TraceDetail } from '@dacapo/protocol';
import type { ReplaySource } from './play-hooks.js';
import type { ServiceClient } from '../service/service-client.js';

/** What is known of where a call was recorded. */
export async function sourceOf(service: ServiceClient, call: RecordedCall): Promise<ReplaySource> {
  const { trace_id: traceId, span_id: spanId, started_at: startedAt } = call;
  const { session_id, metadata, contexts } =
    call.trace ?? (await service.get<Partial<TraceDetail>>(routePath(ROUTES.trace, { id: traceId })));
  const sessionId = session_id ?? call.session_id;
  return {
    traceId,
    spanId,
    startedAt,
    ...(sessionId !== undefined && { sessionId }),
    metadata: metadata ?? {},
    contexts: contexts ?? {},
  };
}
