import { readPages } from '@dacapo/client';
import { mediaReferences, type RecordedCallTree } from '@dacapo/protocol';
import type { PlacedCall } from '@dacapo/testing/internal';
import type { ServiceClient } from '../service/service-client.js';

const PAGE_SIZE = 200;

/** The outermost calls of a trace with a key, with all calls inside them and the media that they refer to. */
export async function findRecordedCalls(
  client: ServiceClient,
  key: string,
  traceId: string,
): Promise<PlacedCall[]> {
  const { calls } = client.api;
  const found: PlacedCall[] = [];
  const wanted = { trace_function_key: key, trace_ids: [traceId], limit: PAGE_SIZE };
  for await (const page of readPages((one) => calls.search({ ...wanted, ...one })))
    for (const tree of page) found.push(...(await readTree(client, key, tree)));
  const byId = new Map(found.map((call) => [call.span_id, call]));
  // A call inside another one with the same key comes twice: once with its parent.
  for (const call of found) if (call.parent_id !== undefined) byId.set(call.span_id, call);
  return restoreMedia(client, [...byId.values()]);
}

/** One call with everything inside it, as an outermost call. */
export function keepCall(calls: readonly PlacedCall[], spanId: string): PlacedCall[] {
  const kept = new Set([spanId]);
  // Parents may come after their children.
  for (let size = 0; size < kept.size;) {
    size = kept.size;
    for (const { span_id: id, parent_id: parent } of calls)
      if (parent !== undefined && kept.has(parent)) kept.add(id);
  }
  return calls
    .filter(({ span_id: id }) => kept.has(id))
    .map((call) => (call.span_id === spanId ? { ...call, parent_id: undefined } : call));
}

async function readTree(client: ServiceClient, key: string, tree: RecordedCallTree): Promise<PlacedCall[]> {
  const root = { ...tree, trace_function_key: key };
  delete root.descendants;
  delete root.descendants_cursor;
  const found: PlacedCall[] = [root];
  const place = { id: root.trace_id, span_id: root.span_id, limit: PAGE_SIZE };
  for await (const page of readPages((one) => client.api.calls.listDescendants({ ...place, ...one })))
    found.push(...page);
  return found;
}

async function restoreMedia(client: ServiceClient, calls: readonly PlacedCall[]): Promise<PlacedCall[]> {
  const { restoreRecord } = await import('@dacapo/testing/internal');
  const ids = new Set(calls.flatMap(listMedia));
  const found = new Map<string, string>();
  for (const id of ids) {
    const bytes = await client.media(id);
    if (bytes !== undefined) found.set(id, bytes.toString('base64'));
  }
  return calls.map((call) => restoreRecord(call, ({ id }) => found.get(id)));
}

function listMedia({ meta }: PlacedCall): string[] {
  const { input, output, stream } = meta ?? {};
  return [input, output, stream?.returned_meta, stream?.chunks_meta].flatMap((notes) =>
    Array.from(mediaReferences(notes).values(), ({ id }) => id),
  );
}
