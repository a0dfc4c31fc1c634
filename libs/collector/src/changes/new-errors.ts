import { findMatchingCalls } from '../traces/matching-calls.js';
import type { SpanStore } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import { groupBy } from '../storage/spans/group-rows.js';
import { errorKind } from '@dacapo/protocol';
import type { ErrorKind } from './find-changes.js';

/** Failed traces that are read of a period, the newest ones, by page. */
const PAGES = [100, 100];
/** The same of a key in the baseline. The first page is short, because most errors are not new. */
const PAGES_BEFORE = [10, 90, 100, 100, 100, 100];
/** Kinds that are looked up in the baseline, the most frequent ones. */
const MOST_KINDS = 20;
/** Fewer failed traces are no evidence. */
const LEAST_TRACES = 5;

interface FoundErrors {
  kinds: ErrorKind[];
  /** There are more failed traces than were read. */
  isCut: boolean;
}

/** The errors of failed traces, each for the call in which it began. */
interface ErrorPage {
  errors: Omit<ErrorKind, 'traces'>[];
  isLast: boolean;
}

/** Kinds of errors among the newest failed traces that no failed call of the same key in the baseline has. */
export async function findNewErrors(
  store: SpanStore,
  accountId: string,
  current: TraceFilter,
  baseline: TraceFilter,
): Promise<FoundErrors> {
  const kinds = new Map<string, ErrorKind>();
  let isCut = true;
  for await (const { errors, isLast } of readErrors(store, accountId, current, PAGES)) {
    for (const { traceFunctionKey, error } of errors) {
      const name = `${traceFunctionKey}\n${error}`;
      const kind = kinds.get(name) ?? { traceFunctionKey, error, traces: 0 };
      kind.traces++;
      kinds.set(name, kind);
    }
    isCut = !isLast;
  }
  const frequent = [...kinds.values()]
    .filter(({ traces }) => traces >= LEAST_TRACES)
    .sort((left, right) => right.traces - left.traces)
    .slice(0, MOST_KINDS);
  const byKey = groupBy(frequent, ({ traceFunctionKey }) => traceFunctionKey);
  const found = await Promise.all(
    [...byKey].map(([traceFunctionKey, ofKey]) =>
      withoutKnown(store, accountId, { ...baseline, traceFunctionKey }, ofKey),
    ),
  );
  return { kinds: found.flat(), isCut };
}

/** Where there are more failed traces than are read, a kind may be in the rest, so none is new. */
async function withoutKnown(
  store: SpanStore,
  accountId: string,
  baseline: TraceFilter,
  kinds: readonly ErrorKind[],
): Promise<readonly ErrorKind[]> {
  let left = kinds;
  for await (const { errors, isLast } of readErrors(store, accountId, baseline, PAGES_BEFORE)) {
    const known = new Set(errors.map(({ error }) => error));
    left = left.filter(({ error }) => !known.has(error));
    if (left.length === 0 || isLast) return left;
  }
  return [];
}

/** Newest first. @param pages how many traces each has */
async function* readErrors(
  store: SpanStore,
  accountId: string,
  filter: TraceFilter,
  pages: readonly number[],
): AsyncGenerator<ErrorPage> {
  const failed: TraceFilter = { ...filter, status: 'error', withoutReplays: true };
  let after: Parameters<SpanStore['listTraces']>[2]['after'];
  for (const limit of pages) {
    const range = { limit, ...(after !== undefined && { after }) };
    const { traces, lookedUntil } = await store.listTraces(accountId, failed, range);
    const calls = await findMatchingCalls(store, accountId, traces, failed);
    after = lookedUntil ?? (traces.length < limit ? undefined : traces.at(-1)?.position);
    yield {
      errors: traces.flatMap(({ trace }) => {
        const { trace_function_key: traceFunctionKey, error_preview: preview } = calls.get(trace.id) ?? trace;
        return preview === undefined ? [] : [{ traceFunctionKey, error: errorKind(preview) }];
      }),
      isLast: after === undefined,
    };
    if (after === undefined) return;
  }
}
