import type { RecordedCallTree, RecordedDescendant } from '@dacapo/protocol';
import type { ServiceClient } from '../../service/service-client.js';
import { RecordingTooLargeError } from '../errors.js';

const PAGE_SIZE = 200;
const MAX_CALLS = 10_000;

/**
 * The calls that were recorded below one, in the order in which they started: those that came with it, and the rest.
 *
 * @throws RecordingTooLargeError when there are more than 10,000
 */
export async function recordedDescendants(
  service: ServiceClient,
  { trace_id, span_id, descendants, descendants_cursor }: RecordedCallTree,
): Promise<RecordedDescendant[]> {
  const calls = descendants ?? [];
  if (descendants !== undefined && descendants_cursor === undefined) return calls;
  const api = await service.api();
  let cursor = descendants_cursor;
  do {
    const page = await api.calls.listDescendants({ id: trace_id, span_id, limit: PAGE_SIZE, cursor });
    calls.push(...page.items);
    if (calls.length > MAX_CALLS) throw new RecordingTooLargeError(span_id, MAX_CALLS);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return calls;
}
