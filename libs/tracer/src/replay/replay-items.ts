import type { JsonValue, TestRunItemReport } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../options/capture-options.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import type { ReplayItem } from '../replay-types.js';
import type { MaskedItem } from './replay-hooks.js';
import { WARM_UP_ITEMS } from './other-version.js';
import type { ItemReplayer } from './replay-item.js';
import { withOtlpArguments } from './otlp-call.js';
import type { PlannedItem } from './planned-item.js';
import type { ReplayContext } from './replay-call.js';
import type { ItemRescorer } from './rescore-item.js';
import type { RunResults } from './run-results.js';
import { nameItem } from './shown-item.js';
import type { OpenRun } from './source/run-source.js';

/** Receives the results of items. */
export interface RunSinks {
  readonly replayer: ItemReplayer;
  /** Judges stored outcomes instead of replaying. */
  readonly rescorer: ItemRescorer | undefined;
  readonly results: RunResults;
  readonly run: OpenRun;
}

export interface ReplayItemsParts {
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  /** Receives errors of the caller's `onItem`. */
  readonly onReportFailure: (error: unknown) => void;
  readonly onMaskedItem?: ((item: MaskedItem) => void) | undefined;
}

/** @throws the error that stopped the list of items, after all started items ended */
export async function replayItems(
  context: ReplayContext,
  sinks: RunSinks,
  parts: ReplayItemsParts,
): Promise<void> {
  const { onReportFailure, capturer, codecs } = parts;
  const { results, run } = sinks;
  const { maxConcurrency, signal, repeat } = context.options;
  const underWay = new Set<Promise<unknown>>();
  try {
    const items = warmsUp(context.options) ? warmedUp(context, sinks) : run.calls();
    const { args } = context;
    for (;;) {
      const next = await unlessAborted(items.next(), signal);
      if (next === undefined || next.done === true) return;
      for (let repetition = 0; repetition < repeat; repetition++) {
        if (results.isStored(next.value.itemNo, repetition)) {
          results.name(next.value.itemNo, nameItem(next.value, capturer, codecs));
          continue;
        }
        const replayed = replayItem(context, withOtlpArguments(next.value, args), repetition, {
          ...sinks,
          ...parts,
        })
          .catch(onReportFailure)
          .finally(() => underWay.delete(replayed));
        underWay.add(replayed);
        if (underWay.size >= maxConcurrency) await unlessAborted(Promise.race(underWay), signal);
        if (signal?.aborted === true) return;
      }
    }
  } finally {
    await Promise.all(underWay);
  }
}

/** The items of the run. Before the first one, both versions replay the first items once without counting them. */
async function* warmedUp(
  { options: { repeat, signal }, args }: ReplayContext,
  { replayer, results, run }: RunSinks,
): AsyncGenerator<PlannedItem> {
  const items = run.calls();
  const first: PlannedItem[] = [];
  while (first.length < WARM_UP_ITEMS) {
    const next = await items.next();
    if (next.done === true) break;
    const { itemNo } = next.value;
    const isLeft = Array.from({ length: repeat }, (_, repetition) =>
      results.isStored(itemNo, repetition),
    ).includes(false);
    if (isLeft) first.push(next.value);
  }
  for (const planned of first)
    if (signal?.aborted !== true) await replayer.warmUp(withOtlpArguments(planned, args));
  yield* first;
  for (let next = await items.next(); next.done !== true; next = await items.next()) yield next.value;
}

async function replayItem(
  { options }: ReplayContext,
  planned: PlannedItem,
  repetition: number,
  { replayer, rescorer, results, run, capturer, onMaskedItem }: RunSinks & ReplayItemsParts,
): Promise<void> {
  const result = await (rescorer ?? replayer).run(planned, repetition);
  if (result === undefined) return;
  run.report(result.report);
  results.add(result.item, result.shown, result.facts);
  options.onItem?.(result.item);
  onMaskedItem?.(maskedItem(result.item, result.report, capturer));
}

/** Whether both versions run here, so that durations are compared. */
function warmsUp({ baseline, gate }: ResolvedRunOptions): boolean {
  if (baseline === 'self') return gate?.p95Ms !== undefined;
  return typeof baseline === 'object' && 'function' in baseline;
}

/**
 * Returns the result of `work`, or `undefined` when the run must end. A race with one promise that lives as long as the run would
 * hold the result of every race until the end.
 */
function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  const started = Promise.resolve(work);
  if (signal === undefined) return started;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      resolve(undefined);
    };
    const settled = (): void => {
      signal.removeEventListener('abort', abort);
    };
    started.then(resolve, reject).finally(settled);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

const NOT_RECORDED = '[not recorded]';

/** @param report the report of the item to the service, with masked values */
function maskedItem(item: ReplayItem, report: TestRunItemReport, capturer: Capturer): MaskedItem {
  const { itemNo, repetition, sourceSpanId, sessionId, verdict, durationMs } = item;
  const { input, metadataOnly } = capturer.options;
  const isRecorded = !metadataOnly && (report.result !== undefined || item.result === undefined);
  return {
    itemNo,
    verdict,
    ...(repetition !== undefined && { repetition }),
    ...(sourceSpanId !== undefined && { sourceSpanId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(durationMs !== undefined && { durationMs }),
    input: input && !metadataOnly ? masked(item.input, capturer) : [NOT_RECORDED],
    ...('error' in item
      ? { error: maskedError(item.error, report, capturer) }
      : { result: isRecorded ? report.result : NOT_RECORDED }),
    scores: (report.scores ?? []).map(({ value, ...score }) => ({ ...score, score: value })),
  };
}

function maskedError(error: unknown, report: TestRunItemReport, capturer: Capturer): unknown {
  if (!(error instanceof Error)) return capturer.options.output ? masked([error], capturer)[0] : NOT_RECORDED;
  const { name, message } = report.error ?? { name: error.name, message: NOT_RECORDED };
  return Object.assign(new Error(message), { name });
}

function masked(values: readonly unknown[], capturer: Capturer): JsonValue[] {
  return JSON.parse(capturer.captureArguments(values).json) as JsonValue[];
}
