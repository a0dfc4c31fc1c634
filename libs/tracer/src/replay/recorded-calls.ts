import { type Page, type RecordedCall, ROUTES, type SearchCallsRequest } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

const PAGE_SIZE = 50;

export interface CallSelection {
  readonly key: string;
  readonly limit: number;
  readonly traceIds: readonly string[] | undefined;
  /** Which of them count; default: all. */
  readonly accepts?: ((call: RecordedCall) => boolean) | undefined;
}

/** The stored calls of a key, page by page: of each trace, the outermost one. */
export async function* recordedCalls(
  service: ServiceClient,
  selection: CallSelection,
): AsyncGenerator<RecordedCall> {
  const { key, limit, traceIds, accepts = () => true } = selection;
  let cursor: string | undefined;
  let left = limit;
  while (left > 0) {
    const request: SearchCallsRequest = {
      trace_function_key: key,
      ...(traceIds && { trace_ids: [...traceIds] }),
      ...(cursor !== undefined && { cursor }),
      limit: selection.accepts === undefined ? Math.min(left, PAGE_SIZE) : PAGE_SIZE,
    };
    const page = await service.post<Page<RecordedCall>>(ROUTES.searchCalls, request, 'items');
    const accepted = page.items.filter(accepts).slice(0, left);
    yield* accepted;
    left -= accepted.length;
    cursor = page.next_cursor;
    if (cursor === undefined) return;
  }
}
