import { findMatchingCalls } from '../traces/matching-calls.js';
import type { SpanStore } from '../storage/ports/span-store.js';
import type { TraceFilter } from '../storage/ports/trace-filter.js';
import { errorKind } from '@dacapo/protocol';
import type { ErrorKind } from './find-changes.js';

/** Failed traces that are read of a period, the newest ones. */
const MOST_TRACES = 200;
/** Failed traces that are read of a key in the baseline. */
const MOST_TRACES_BEFORE = 500;
const PAGE = 100;
/** Kinds that are looked up in the baseline, the most frequent ones. */
const MOST_KINDS = 20;
/** Fewer failed traces are no evidence. */
const LEAST_TRACES = 5;

interface FoundErrors {
  kinds: ErrorKind[];
  /** There are more failed traces than were read. */
  isCut: boolean;
}

/**
 * Kinds of errors among the newest failed traces that no failed call of the same key in the baseline has. Where the baseline has more
 * failed traces than are read, a kind may be in the rest, so none is new.
 */
export async function findNewErrors(
  store: SpanStore,
  accountId: string,
  current: TraceFilter,
  baseline: TraceFilter,
): Promise<FoundErrors> {
  const { kinds, isCut } = await readErrors(store, accountId, current, MOST_TRACES);
  const frequent = kinds
    .filter(({ traces }) => traces >= LEAST_TRACES)
    .sort((left, right) => right.traces - left.traces)
    .slice(0, MOST_KINDS);
  const keys = [...new Set(frequent.map((kind) => kind.traceFunctionKey))];
  const readBefore = async (traceFunctionKey: string) =>
    [
      traceFunctionKey,
      await readErrors(store, accountId, { ...baseline, traceFunctionKey }, MOST_TRACES_BEFORE),
    ] as const;
  const known = new Map(await Promise.all(keys.map(readBefore)));
  const isNew = ({ traceFunctionKey, error }: ErrorKind): boolean => {
    const before = known.get(traceFunctionKey);
    return before?.isCut === false && !before.kinds.some((kind) => kind.error === error);
  };
  return { kinds: frequent.filter(isNew), isCut };
}

/** Each failed trace counts for the call in which its error began. */
async function readErrors(
  store: SpanStore,
  accountId: string,
  filter: TraceFilter,
  most: number,
): Promise<FoundErrors> {
  const failed: TraceFilter = { ...filter, status: 'error', withoutReplays: true };
  const kinds = new Map<string, ErrorKind>();
  let after: Parameters<SpanStore['listTraces']>[2]['after'];
  for (let read = 0; read < most; read += PAGE) {
    const range = { limit: PAGE, ...(after !== undefined && { after }) };
    const { traces, lookedUntil } = await store.listTraces(accountId, failed, range);
    const calls = await findMatchingCalls(store, accountId, traces, failed);
    for (const { trace } of traces) {
      const { trace_function_key: traceFunctionKey, error_preview: preview } = calls.get(trace.id) ?? trace;
      if (preview === undefined) continue;
      const error = errorKind(preview);
      const name = `${traceFunctionKey}\n${error}`;
      const kind = kinds.get(name) ?? { traceFunctionKey, error, traces: 0 };
      kind.traces++;
      kinds.set(name, kind);
    }
    after = lookedUntil ?? (traces.length < PAGE ? undefined : traces.at(-1)?.position);
    if (after === undefined) return { kinds: [...kinds.values()], isCut: false };
  }
  return { kinds: [...kinds.values()], isCut: true };
}
