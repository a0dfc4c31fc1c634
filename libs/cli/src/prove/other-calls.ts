import { readPages } from '@dacapo/client';
import { type RecordedCallTree, readNotes } from '@dacapo/protocol';
import type { PlacedCall } from '@dacapo/testing/internal';
import { findRecordedCalls, keepCall } from '../cassettes/find-recorded-calls.js';
import type { ServiceClient } from '../service/service-client.js';

const PAGE_SIZE = 100;
/** Calls that are looked at for each one that is wanted. */
const LOOKED_AT = 20;

/**
 * Reads the newest successful calls of a key: one a session, and none with the arguments of another one, because repeated calls are no
 * further evidence. Calls that cannot be replayed or compared are skipped.
 *
 * @param except the trace of the failing call
 */
export async function findOtherCalls(
  client: ServiceClient,
  {
    key,
    except,
    count,
  }: { readonly key: string; readonly except: string | undefined; readonly count: number },
): Promise<PlacedCall[]> {
  const chosen: RecordedCallTree[] = [];
  const seen = new Set<string>();
  let looked = 0;
  const wanted = { trace_function_key: key, status: 'ok' as const, limit: PAGE_SIZE };
  for await (const page of readPages((one) => client.api.calls.search({ ...wanted, ...one }))) {
    for (const call of page) {
      const marks = [
        `input ${JSON.stringify(call.input)}`,
        ...(call.session_id === undefined ? [] : [`session ${call.session_id}`]),
      ];
      if (call.trace_id === except || !isComparable(call) || marks.some((mark) => seen.has(mark))) continue;
      for (const mark of marks) seen.add(mark);
      if (chosen.push(call) === count) break;
    }
    if (chosen.length >= count || (looked += page.length) >= count * LOOKED_AT) break;
  }
  const calls: PlacedCall[] = [];
  for (const { trace_id: traceId, span_id: spanId } of chosen)
    calls.push(...keepCall(await findRecordedCalls(client, key, traceId), spanId));
  return calls;
}

/** Whether its arguments are recorded, and its output can be compared. */
function isComparable({ input, meta }: RecordedCallTree): boolean {
  const { cuts, masked } = readNotes(meta?.output);
  const isOutputWhole = cuts.length === 0 && masked.length === 0 && meta?.output?.replayable !== false;
  return input !== undefined && meta?.replayable !== false && meta?.source !== 'otlp' && isOutputWhole;
}
