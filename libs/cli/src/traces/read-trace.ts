import type { TraceDetail } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

/** A trace with all of its spans, without payloads. */
export async function readTrace(client: ServiceClient, id: string): Promise<TraceDetail> {
  const trace = await client.api.traces.get({ id });
  const spans = [...trace.spans];
  for (let cursor = trace.next_cursor; cursor !== undefined;) {
    const page = await client.api.traces.get({ id, cursor });
    spans.push(...page.spans);
    cursor = page.next_cursor;
  }
  const whole: TraceDetail = { ...trace, spans };
  delete whole.next_cursor;
  return whole;
}
