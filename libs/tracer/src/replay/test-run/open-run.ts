import {
  type CreateTestRunRequest,
  type Page,
  routePath,
  ROUTES,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import { NO_LIMIT, type ResolvedReplayOptions, toSelection } from '../../options/replay-options.js';
import { ServiceResponseError } from '../../service/errors.js';
import type { ServiceClient } from '../../service/service-client.js';

export interface OpenRunParts {
  readonly service: ServiceClient;
  /** Brings recorded calls to the service. */
  readonly flush: () => Promise<unknown>;
  /** An integration leaves calls out, which do not count to the limit. */
  readonly isFiltered: boolean;
}

/**
 * Begins a test run, whose calls the service selects, or goes on with one.
 *
 * @throws at once when the service does not answer, while the flush would wait for it
 */
export async function openRun(
  key: string,
  options: ResolvedReplayOptions,
  { service, flush, isFiltered }: OpenRunParts,
): Promise<TestRunRecord> {
  const { name, resume } = options;
  if (resume !== undefined)
    return service.post<TestRunRecord>(routePath(ROUTES.resumeTestRun, { id: resume }), {}, 'id', 'url');
  await service.get(`${ROUTES.testRuns}?limit=1`).catch((error: unknown) => {
    if (!(error instanceof ServiceResponseError)) throw error;
  });
  // Calls of a moment ago are stored calls too.
  await flush();
  const request: CreateTestRunRequest = {
    trace_function_key: key,
    ...(name !== undefined && { name }),
    selection: toSelection(isFiltered ? { ...options, limit: NO_LIMIT } : options),
  };
  return service.post<TestRunRecord>(ROUTES.testRuns, request, 'id', 'url');
}

/** What a run has heard of its items so far. */
export async function* storedItems(
  service: ServiceClient,
  runId: string,
): AsyncGenerator<TestRunItemSummary> {
  const path = routePath(ROUTES.testRunItems, { id: runId });
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor !== undefined && { cursor }) });
    const page = await service.get<Page<TestRunItemSummary>>(`${path}?${query.toString()}`, 'items');
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
