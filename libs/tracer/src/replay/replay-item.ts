import type { Judgement, RepetitionFacts, StoredOutcome } from '@dacapo/evaluation';
import type { JsonValue, TestRunItemReport } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { callsIn } from './to-calls.js';
import type { Baseline, ItemBaselines } from './item-baseline.js';
import { type ReportedBaseline, type ReportFacts, toItemReport } from './item-report.js';
import type { OutcomeComparer } from './outcome-comparer.js';
import type { OtherVersion } from './other-version.js';
import { emptyItem, type PlannedItem } from './planned-item.js';
import { replayCall, type CallReplay, type LiveOutcome, type ReplayContext } from './replay-call.js';
import type { ReplayItem } from '../replay-types.js';
import { nameItem, type ShownItem, toShownItem } from './shown-item.js';
import type { SideScores } from './score-sides.js';

export interface ItemReplayerParts {
  readonly context: ReplayContext;
  readonly comparer: OutcomeComparer;
  readonly capturer: Capturer;
  readonly baselines: ItemBaselines;
  /** The version that replays each call next to the candidate; absent: the stored outcome is the baseline. */
  readonly other: OtherVersion | undefined;
  /** Absent: only outcomes are compared. */
  readonly scores: SideScores | undefined;
  /** Whether results of an evaluator may vary. */
  readonly mayVary: () => boolean;
}

export interface ItemResult {
  readonly item: ReplayItem;
  readonly facts: RepetitionFacts;
  readonly report: TestRunItemReport;
  /** For the reports of this run. */
  readonly shown: ShownItem;
}

/** Replays items one by one, compares each with its baseline, and scores both with evaluators. */
export class ItemReplayer {
  constructor(private readonly parts: ItemReplayerParts) {}

  /**
   * Replays an item once. Never rejects.
   *
   * @param repetition from 0
   * @returns `undefined` if the run ended before the evaluators finished: the item must be replayed again
   */
  async run(planned: PlannedItem, repetition: number): Promise<ItemResult | undefined> {
    const { context, comparer, scores, other } = this.parts;
    const { options } = context;
    const item = emptyItem(planned, options.repeat > 1 ? repetition : undefined);
    const first = other?.isFirst(planned.itemNo, repetition) ? await other.run(planned) : undefined;
    const callReplay = await replayCall(context, planned, item);
    const beside = first ?? (await other?.run(planned));
    let recorded = comparer.record(callReplay.outcome, callReplay.definition);
    // A failure before a span was opened is not an outcome of the function.
    const hasSpan = callReplay.definition !== undefined || (!context.isRecorded && callReplay.wasCalled);
    let errorSource: ReportFacts['errorSource'] = hasSpan ? undefined : 'play';
    let baseline: Baseline = {};
    try {
      baseline = beside ?? (await this.parts.baselines.of(planned, item, callReplay.definition));
      const { problem } = baseline;
      if (problem !== undefined)
        item.notes = [...(item.notes ?? []), `the baseline could not be called: ${problem}`];
      this.compare(item, recorded, callReplay.outcome, baseline);
      await this.compareSides(item, callReplay, baseline.beside);
    } catch (error) {
      failItem(item, error);
      recorded = comparer.record({ error }, callReplay.definition);
      errorSource = 'judgement';
    }
    let baselineHash: string | undefined;
    if (scores !== undefined && callReplay.wasCalled) {
      const { outcome, isMocked, lines } = callReplay;
      const calls = callsIn(item.spanId, lines, context.codecs);
      const scoresBaseline = repetition === 0 || other !== undefined;
      const { durationMs = 0 } = item;
      const candidate = { outcome, calls, isMocked, durationMs, scoresBaseline };
      const scored = await scores.addTo(item, planned, candidate, baseline);
      ({ baselineHash } = scored);
      const { failure } = scored;
      if (failure !== undefined && options.signal?.aborted === true) return undefined;
      if (failure !== undefined) {
        failItem(item, failure.error);
        recorded = comparer.record(failure, callReplay.definition);
        errorSource = 'judgement';
      }
    }
    const ranModel = callReplay.ranModel || baseline.beside?.ranModel === true;
    const isModelFree = !ranModel && !this.parts.mayVary();
    // Only repetitions are compared with each other.
    const facts = { outcome: options.repeat > 1 ? comparer.hashOutcome(recorded) : undefined, isModelFree };
    const { capturer } = this.parts;
    const name = nameItem(planned, capturer, context.codecs);
    const report = toItemReport(item, recorded, {
      capturer,
      name,
      same: options.same !== undefined,
      ignore: options.ignore,
      input: inputToReport(planned, item, capturer),
      baseline: baseline.compared,
      errorSource,
      baselineHash,
    });
    const shown = toShownItem(planned, item, report, baseline.compared?.stored, { capturer, name });
    return { item, facts, report, shown };
  }

  /** Replays an item once with each version, and discards the results. Never rejects. */
  async warmUp(planned: PlannedItem): Promise<void> {
    const { context, other } = this.parts;
    const replay = (): Promise<unknown> => replayCall(context, planned, emptyItem(planned, undefined));
    if (other?.isFirst(planned.itemNo, 0) === true) await other.run(planned).then(replay);
    else await replay().then(() => other?.run(planned));
  }

  /** @throws errors of `same` */
  private compare(
    item: ReplayItem,
    now: StoredOutcome,
    callReplay: LiveOutcome,
    { compared, earlier }: Baseline,
  ): void {
    const { durationMs, usage, modelCalls } = earlier ?? {};
    if (durationMs !== undefined) item.originalDurationMs = durationMs;
    if (usage !== undefined) item.originalUsage = usage;
    else delete item.originalUsage;
    if (modelCalls !== undefined) item.originalModelCalls = modelCalls;
    else delete item.originalModelCalls;
    if (compared !== undefined && 'result' in compared.value && compared.value.result !== undefined)
      item.originalOutput = compared.value.result;
    if (compared !== undefined && 'error' in compared.value) item.originalError = compared.value.error;
    const values = { now: readOutput(callReplay), before: compared && readOutput(compared.value) };
    const { comparer } = this.parts;
    const compareWith = (baseline: ReportedBaseline | undefined): Judgement =>
      comparer.compare(baseline, now, values, compared?.unaccepted?.stored);
    Object.assign(item, compareWith(compared));
    if (compared?.kind !== 'accepted' || item.verdict !== 'same') return;
    if (compareWith(compared.unaccepted).verdict !== 'same') item.accepted = true;
  }

  /** Facts of versions that ran side by side: comparable durations, and costs with the same prices. */
  private async compareSides(
    item: ReplayItem,
    callReplay: CallReplay,
    beside: CallReplay | undefined,
  ): Promise<void> {
    if (beside === undefined || !callReplay.wasCalled) return;
    item.timing = callReplay.isMocked || beside.isMocked ? 'mocked' : 'paired';
    await this.parts.context.costs.addTo(item, {
      now: callReplay.modelCalls.now,
      original: beside.modelCalls.now,
    });
  }
}

/** The arguments, if no recorded call has them. */
function inputToReport(
  { call, stored, traceId }: PlannedItem,
  { input }: ReplayItem,
  capturer: Capturer,
): ReportFacts['input'] {
  if (call !== undefined || traceId !== undefined || !capturer.options.input) return undefined;
  if (stored !== undefined) return { json: stored.input ?? [], meta: stored.meta?.input };
  const { json, meta } = capturer.captureArguments(input);
  return { json: JSON.parse(json) as JsonValue[], meta };
}

/** The arguments of `same`: for a failed stream, its items. */
function readOutput(outcome: LiveOutcome): unknown {
  return 'result' in outcome ? outcome.result : outcome.stream?.items;
}

/** An evaluator or the comparison failed, so the outcome is not judged. */
export function failItem(item: ReplayItem, error: unknown): void {
  item.verdict = 'error';
  item.error = error;
  delete item.fixed;
  delete item.failingAsBefore;
  delete item.accepted;
  if (!('originalError' in item)) item.newError = true;
}
