import type { Page, SelectedCall } from '@dacapo/protocol';
import type { ServiceClient } from '../../service/service-client.js';
import { retryWhileAway } from './retry-while-away.js';

/** Calls; the service ends a page of great payloads early. */
const PAGE_SIZE = 200;

export interface SelectedCallsParts {
  readonly service: ServiceClient;
  /** How long a service that is away is waited for. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The calls that a test run is to play, with what was called inside each, page by page. The next page is asked for while
 * one is played.
 *
 * @param left only those that nothing was reported of
 * @throws what kept the next page from being had, when the service is away for longer than `timeoutMs`
 */
export async function* selectedCalls(
  runId: string,
  left: boolean,
  { service, ...retry }: SelectedCallsParts,
): AsyncGenerator<SelectedCall> {
  const fetchPage = (cursor: string | undefined): Promise<Page<SelectedCall>> =>
    retryWhileAway(async () => {
      const { testRuns } = await service.api();
      const wanted = { limit: PAGE_SIZE, descendants: true, ...(left && { left }) };
      return testRuns.listCalls({ id: runId, ...wanted, cursor });
    }, retry);
  let next: Promise<Page<SelectedCall>> | undefined = fetchPage(undefined);
  while (next !== undefined) {
    const { items, next_cursor }: Page<SelectedCall> = await next;
    next = next_cursor === undefined ? undefined : fetchPage(next_cursor);
    // It is looked at later, or never.
    next?.catch(() => undefined);
    yield* items;
  }
}
