import type { Judgement, PlayFacts, StoredOutcome } from '@dacapo/evaluation';
import type { JsonValue, TestRunItemReport } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { callsIn } from './calls-of.js';
import type { Baseline, ItemBaselines } from './item-baseline.js';
import { type ReportedBaseline, type ReportFacts, reportOf } from './item-report.js';
import type { Judge } from './judge-item.js';
import type { OtherVersion } from './other-version.js';
import { emptyItem, type PlannedItem } from './planned-item.js';
import { playCall, type Played, type PlayedOutcome, type Playing } from './play-call.js';
import type { ReplayItem } from './replay-result.js';
import { nameOf, type ShownItem, shownPlay } from './shown-item.js';
import type { SideScores } from './score-sides.js';

export interface ItemPlayerParts {
  readonly playing: Playing;
  readonly judge: Judge;
  readonly capturer: Capturer;
  readonly baselines: ItemBaselines;
  /** The version that replays each call beside the candidate; absent: what is stored is the baseline. */
  readonly other: OtherVersion | undefined;
  /** Absent: nothing is judged but the outcome. */
  readonly scores: SideScores | undefined;
  /** Whether an evaluator's answers may vary. */
  readonly mayVary: () => boolean;
}

export interface JudgedItem {
  readonly item: ReplayItem;
  readonly facts: PlayFacts;
  readonly report: TestRunItemReport;
  /** For the reports of this run. */
  readonly shown: ShownItem;
}

/** Plays items one by one, compares each with its baseline, and lets evaluators judge both. */
export class ItemPlayer {
  constructor(private readonly parts: ItemPlayerParts) {}

  /**
   * Plays an item once. Never rejects.
   *
   * @param repetition from 0
   * @returns `undefined` when the run was ended before evaluators had judged it: it is to be played again
   */
  async play(planned: PlannedItem, repetition: number): Promise<JudgedItem | undefined> {
    const { playing, judge, scores, other } = this.parts;
    const { options } = playing;
    const item = emptyItem(planned, options.repeat > 1 ? repetition : undefined);
    const first = other?.isFirst(planned.itemNo, repetition) ? await other.play(planned) : undefined;
    const played = await playCall(playing, planned, item);
    const beside = first ?? (await other?.play(planned));
    let recorded = judge.record(played.outcome, played.definition);
    // What failed before a span was opened is no outcome of the function.
    const hasSpan = played.definition !== undefined || (!playing.isRecorded && played.wasCalled);
    let errorOf: ReportFacts['errorOf'] = hasSpan ? undefined : 'play';
    let baseline: Baseline = {};
    try {
      baseline = beside ?? (await this.parts.baselines.of(planned, item, played.definition));
      const { problem } = baseline;
      if (problem !== undefined)
        item.notes = [...(item.notes ?? []), `the baseline could not be called: ${problem}`];
      this.compare(item, recorded, played.outcome, baseline);
      await this.compareSides(item, played, baseline.beside);
    } catch (error) {
      failItem(item, error);
      recorded = judge.record({ error }, played.definition);
      errorOf = 'judgement';
    }
    let baselineHash: string | undefined;
    if (scores !== undefined && played.wasCalled) {
      const { outcome, isMocked, lines } = played;
      const calls = callsIn(item.spanId, lines, playing.codecs);
      const judgesBaseline = repetition === 0 || other !== undefined;
      const { durationMs = 0 } = item;
      const candidate = { outcome, calls, isMocked, durationMs, judgesBaseline };
      const judged = await scores.addTo(item, planned, candidate, baseline);
      ({ baselineHash } = judged);
      const { failure } = judged;
      if (failure !== undefined && options.signal?.aborted === true) return undefined;
      if (failure !== undefined) {
        failItem(item, failure.error);
        recorded = judge.record(failure, played.definition);
        errorOf = 'judgement';
      }
    }
    const ranModel = played.ranModel || baseline.beside?.ranModel === true;
    const isModelFree = !ranModel && !this.parts.mayVary();
    // Only repetitions are compared with each other.
    const facts = { outcome: options.repeat > 1 ? judge.keyOf(recorded) : undefined, isModelFree };
    const { capturer } = this.parts;
    const name = nameOf(planned, capturer, playing.codecs);
    const report = this.report(item, planned, recorded, { ...baseline, name, errorOf, baselineHash });
    const shown = shownPlay(planned, item, report, baseline.compared?.stored, { capturer, name });
    return { item, facts, report, shown };
  }

  /** Replays an item once by each version, and forgets what came of it. Never rejects. */
  async warmUp(planned: PlannedItem): Promise<void> {
    const { playing, other } = this.parts;
    const replay = (): Promise<unknown> => playCall(playing, planned, emptyItem(planned, undefined));
    if (other?.isFirst(planned.itemNo, 0) === true) await other.play(planned).then(replay);
    else await replay().then(() => other?.play(planned));
  }

  /** @throws what `same` throws */
  private compare(
    item: ReplayItem,
    now: StoredOutcome,
    played: PlayedOutcome,
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
    const values = { now: outputOf(played), before: compared && outputOf(compared.value) };
    const { judge } = this.parts;
    const judgementBy = (baseline: ReportedBaseline | undefined): Judgement =>
      judge.judge(baseline, now, values, compared?.unaccepted?.stored);
    Object.assign(item, judgementBy(compared));
    if (compared?.kind !== 'accepted' || item.verdict !== 'same') return;
    if (judgementBy(compared.unaccepted).verdict !== 'same') item.accepted = true;
  }

  /** What only versions that ran side by side have: comparable durations, and costs by one source of prices. */
  private async compareSides(item: ReplayItem, played: Played, beside: Played | undefined): Promise<void> {
    if (beside === undefined || !played.wasCalled) return;
    item.timing = played.isMocked || beside.isMocked ? 'mocked' : 'paired';
    await this.parts.playing.costs.addTo(item, {
      now: played.modelCalls.now,
      original: beside.modelCalls.now,
    });
  }

  private report(
    item: ReplayItem,
    planned: PlannedItem,
    recorded: StoredOutcome,
    { compared, ...facts }: Baseline & Pick<ReportFacts, 'name' | 'errorOf' | 'baselineHash'>,
  ): TestRunItemReport {
    const { capturer, playing } = this.parts;
    const { same, ignore } = playing.options;
    return reportOf(item, recorded, {
      ...{ capturer, same: same !== undefined, ignore, baseline: compared },
      ...{ name: facts.name, errorOf: facts.errorOf, baselineHash: facts.baselineHash },
      input: inputToTell(planned, item, capturer),
    });
  }
}

/** The arguments, where no recorded call has them. */
function inputToTell(
  { call, stored, traceId }: PlannedItem,
  { input }: ReplayItem,
  capturer: Capturer,
): ReportFacts['input'] {
  if (call !== undefined || traceId !== undefined || !capturer.options.input) return undefined;
  if (stored !== undefined) return { json: stored.input ?? [], meta: stored.meta?.input };
  const { json, meta } = capturer.captureArguments(input);
  return { json: JSON.parse(json) as JsonValue[], meta };
}

/** What `same` compares: of a stream that failed what it yielded. */
function outputOf(outcome: PlayedOutcome): unknown {
  return 'result' in outcome ? outcome.result : outcome.stream?.items;
}

/** An evaluator or the comparison failed: whatever the outcome is, it is not judged. */
export function failItem(item: ReplayItem, error: unknown): void {
  item.verdict = 'error';
  item.error = error;
  delete item.fixed;
  delete item.failingAsBefore;
  delete item.accepted;
  if (!('originalError' in item)) item.newError = true;
}
