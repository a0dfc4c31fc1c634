import {
  type Baseline,
  type CreateTestRunRequest,
  type Page,
  routePath,
  ROUTES,
  type SelectedCall,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import { InvalidOptionError } from '../../errors.js';
import type { EvaluationItem } from '../../options/evaluate-options.js';
import type { RunBaseline } from '../../options/run-options.js';
import { type ResolvedSelection, toSelection } from '../../options/selection-options.js';
import { ServiceResponseError } from '../../service/errors.js';
import type { ServiceClient } from '../../service/service-client.js';
import { type PlannedItem, plannedCall, plannedListItem } from '../planned-item.js';
import { selectedCalls, type SelectedCallsParts } from './selected-calls.js';

/** What a run plays: a dataset, stored calls of a key, or a list. */
export type RunData =
  | { readonly kind: 'dataset'; readonly name: string; readonly version: number | undefined }
  | { readonly kind: 'calls'; readonly key: string; readonly selection: ResolvedSelection }
  | { readonly kind: 'list'; readonly items: readonly EvaluationItem[] };

export interface OpenRunParts extends SelectedCallsParts {
  /** Under which the new calls are recorded. */
  readonly key: string;
  readonly name: string | undefined;
  /** The run to go on with. */
  readonly resume: string | undefined;
  /** How often each item is played. */
  readonly repeat: number;
  readonly baseline: RunBaseline;
  /** Brings recorded calls to the service. */
  readonly flush: () => Promise<unknown>;
}

/** A test run that is under way, and what is to be played in it. */
export interface OpenedRun extends Pick<TestRunRecord, 'id' | 'url' | 'baseline'> {
  /** How many items there are in all. */
  readonly itemCount: number;
  /** How many calls were left out, by reason. */
  readonly skipped: Readonly<Record<string, number | undefined>>;
  /** The account has no call of the key at all. */
  readonly isUnknownKey: boolean;
  /** The account's key that an unknown one may have meant. */
  readonly similarKey: string | undefined;
  /** How many were played before it was resumed. */
  readonly playedBefore: number;
  /** The service does not know how many items there are. */
  readonly isListed: boolean;
  /** Items that may be left to play, in order. */
  items(): Iterator<PlannedItem> | AsyncIterator<PlannedItem>;
}

/**
 * Begins a test run, whose calls the service selects unless they are a list, or goes on with one.
 *
 * @throws at once when the service does not answer, while the flush would wait for it
 */
export async function openRun(data: RunData, parts: OpenRunParts): Promise<OpenedRun> {
  const run = await (parts.resume === undefined
    ? createRun(data, parts)
    : resumeRun(parts.resume, parts.service));
  const { id, url, selection, dataset, totals, baseline, repeat = 1 } = run;
  if (parts.resume !== undefined && repeat !== parts.repeat)
    throw new InvalidOptionError(
      'repeat',
      `is ${parts.repeat}, and the run plays each item ${repeat === 1 ? 'once' : `${repeat} times`}`,
      `Resume it with repeat: ${repeat}, or begin another run.`,
    );
  if (data.kind === 'dataset' && dataset === undefined)
    throw new InvalidOptionError(
      'evaluate.data.dataset',
      'is nothing that this service knows of',
      'Bring the collector to the version of the tracer.',
    );
  const shared = {
    ...{ id, url, ...(baseline !== undefined && { baseline }) },
    playedBefore: parts.resume === undefined ? 0 : totals.items,
  };
  if (data.kind === 'list')
    return {
      ...{ ...shared, skipped: {}, isUnknownKey: false, similarKey: undefined, isListed: true },
      itemCount: data.items.length,
      items: () => listed(data.items),
    };
  const { items = 0, skipped = {}, unknown_key = false, similar_key: similarKey } = selection ?? {};
  // Which repetitions are left of an item only its reports tell.
  const isLeft = parts.resume !== undefined && parts.repeat === 1;
  return {
    ...{ ...shared, skipped, isUnknownKey: unknown_key, similarKey, isListed: false },
    itemCount: dataset?.items ?? items,
    items: () => selected(selectedCalls(id, isLeft, parts)),
  };
}

async function* selected(calls: AsyncIterable<SelectedCall>): AsyncGenerator<PlannedItem> {
  for await (const call of calls) yield plannedCall(call);
}

function* listed(items: readonly EvaluationItem[]): Generator<PlannedItem> {
  for (const [itemNo, item] of items.entries()) yield plannedListItem(item, itemNo);
}

async function createRun(
  data: RunData,
  { service, flush, key, name, repeat, baseline }: OpenRunParts,
): Promise<TestRunRecord> {
  await service.get(`${ROUTES.testRuns}?limit=1`).catch((error: unknown) => {
    if (!(error instanceof ServiceResponseError)) throw error;
  });
  // Calls of a moment ago are stored calls too.
  await flush();
  const request: CreateTestRunRequest = {
    trace_function_key: data.kind === 'calls' ? data.key : key,
    ...(name !== undefined && { name }),
    ...(repeat > 1 && { repeat }),
    // A run against itself is compared with no stored outcome.
    ...(baseline !== 'recording' && baseline !== 'self' && { baseline: toBaseline(baseline) }),
    ...(data.kind === 'dataset' && {
      dataset: { name: data.name, ...(data.version !== undefined && { version: data.version }) },
    }),
    ...(data.kind === 'calls' && {
      selection: toSelection(data.selection),
    }),
  };
  const members = data.kind === 'calls' ? ['selection.items', 'selection.skipped'] : [];
  return service.post<TestRunRecord>(ROUTES.testRuns, request, 'id', 'url', ...members);
}

function toBaseline(baseline: Exclude<RunBaseline, 'recording' | 'self'>): Baseline {
  return baseline === 'accepted' ? baseline : { test_run_id: baseline.testRunId };
}

function resumeRun(id: string, service: ServiceClient): Promise<TestRunRecord> {
  return service.post<TestRunRecord>(
    routePath(ROUTES.resumeTestRun, { id }),
    {},
    'id',
    'url',
    'totals.items',
  );
}

/** What a run has heard of its items so far, without their values. */
export function storedItems(service: ServiceClient, runId: string): AsyncGenerator<TestRunItemSummary> {
  return pagesOf<TestRunItemSummary>(service, runId, {});
}

/** What a run has heard of its items so far, beside what they were compared with. */
export function storedRecords(service: ServiceClient, runId: string): AsyncGenerator<TestRunItemRecord> {
  return pagesOf<TestRunItemRecord>(service, runId, { payloads: 'true' });
}

async function* pagesOf<T>(
  service: ServiceClient,
  runId: string,
  words: Readonly<Record<string, string>>,
): AsyncGenerator<T> {
  const path = routePath(ROUTES.testRunItems, { id: runId });
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '200', ...words, ...(cursor !== undefined && { cursor }) });
    const page = await service.get<Page<T>>(`${path}?${query.toString()}`, 'items[]');
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
}
