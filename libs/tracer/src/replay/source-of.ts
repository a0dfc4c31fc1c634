import { type RecordedCall, routePath, ROUTES, type TraceDetail } from '@dacapo/protocol';
import type { PlannedItem } from './planned-item.js';
import type { ReplaySource } from './play-hooks.js';
import type { ServiceClient } from '../service/service-client.js';

/** What is known of where an item comes from; of one that was not recorded, what its list says. */
export async function sourceOf(
  service: ServiceClient,
  { call, metadata }: Pick<PlannedItem, 'call' | 'metadata'>,
): Promise<ReplaySource> {
  if (call === undefined)
    return { traceId: '', spanId: '', startedAt: new Date().toISOString(), metadata, contexts: {} };
  return recordedSource(service, call);
}

async function recordedSource(service: ServiceClient, call: RecordedCall): Promise<ReplaySource> {
  const { trace_id: traceId, span_id: spanId, started_at: startedAt } = call;
  const { session_id, metadata, contexts } =
    call.trace ?? (await service.get<Partial<TraceDetail>>(routePath(ROUTES.trace, { id: traceId }), 'id'));
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
