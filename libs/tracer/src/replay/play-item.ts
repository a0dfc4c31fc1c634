import {
  fromItemModelCalls,
  fromItemUsage,
  hasEnded,
  type Judgement,
  type PlayFacts,
  recordedError,
  type StoredOutcome,
} from '@dacapo/evaluation';
import {
  type Baseline as StoredBaseline,
  type BaselineOutcome,
  decode,
  decodeThrown,
  type JsonValue,
  readValue,
  type RecordedCall,
  type TestRunItemReport,
} from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import { callsIn, callsOf, once } from './calls-of.js';
import { contextOf, type KnownOfItem } from './evaluator-context.js';
import { failureOf, type ItemEvaluators, unknownFact } from './evaluate-item.js';
import type { Baseline, EarlierOutcome } from './item-baseline.js';
import { type ReportedBaseline, type ReportFacts, reportOf } from './item-report.js';
import type { Judge } from './judge-item.js';
import type { OtherVersion } from './other-version.js';
import { emptyItem, type PlannedItem } from './planned-item.js';
import { playCall, type Played, type PlayedOutcome, type Playing } from './play-call.js';
import type { ReplayItem } from './replay-result.js';

export interface ItemPlayerParts {
  readonly playing: Playing;
  readonly judge: Judge;
  readonly capturer: Capturer;
  /** Of the run; absent: the recording. */
  readonly baseline: StoredBaseline | undefined;
  /** The version that replays each call beside the candidate; absent: what is stored is the baseline. */
  readonly other: OtherVersion | undefined;
  /** Absent: nothing is judged but the outcome. */
  readonly evaluators: ItemEvaluators | undefined;
}

export interface JudgedItem {
  readonly item: ReplayItem;
  readonly facts: PlayFacts;
  readonly report: TestRunItemReport;
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
    const { playing, judge, evaluators, other } = this.parts;
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
      baseline = beside ?? (await this.baselineOf(planned, item, played.definition));
      this.compare(item, recorded, played.outcome, baseline);
      await this.compareSides(item, played, baseline.beside);
    } catch (error) {
      fail(item, error);
      recorded = judge.record({ error }, played.definition);
      errorOf = 'judgement';
    }
    if (evaluators !== undefined && played.wasCalled) {
      const failure = await this.evaluate(evaluators, planned, item, played, baseline, repetition);
      if (failure !== undefined && options.signal?.aborted === true) return undefined;
      if (failure !== undefined) {
        fail(item, failure.error);
        recorded = judge.record(failure, played.definition);
        errorOf = 'judgement';
      }
    }
    const ranModel = played.ranModel || baseline.beside?.ranModel === true;
    const isModelFree = !ranModel && evaluators?.mayVary !== true;
    const facts = { outcome: judge.keyOf(recorded), isModelFree };
    return { item, facts, report: this.report(item, planned, recorded, { ...baseline, errorOf }) };
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

  private async baselineOf(
    planned: PlannedItem,
    item: ReplayItem,
    definition: SpanDefinition | undefined,
  ): Promise<Baseline> {
    const { playing, baseline: ofRun } = this.parts;
    const { call, baseline } = planned;
    const recording: Baseline =
      call === undefined
        ? {}
        : {
            earlier: await this.recordedOutcome(call, planned, item),
            compared: { kind: 'recording', stored: call, value: outcomeOf(call, playing.codecs) },
          };
    const expectation = this.expectationOf(planned, definition, recording);
    if (baseline !== undefined) return this.givenBaseline(baseline, (expectation ?? recording).compared);
    // An earlier run that has no such item says nothing of it.
    return typeof ofRun === 'object' ? {} : (expectation ?? recording);
  }

  /** What the item says that is to come of it; evaluators still judge the recording beside it. */
  private expectationOf(
    { expected }: PlannedItem,
    definition: SpanDefinition | undefined,
    { earlier }: Baseline,
  ): Baseline | undefined {
    if (expected === undefined) return undefined;
    const value = { result: expected.value(this.parts.playing.codecs) };
    const stored = expected.stored ?? this.parts.judge.record(value, definition);
    return { ...(earlier && { earlier }), compared: { kind: 'expected', stored, value } };
  }

  /** What a person accepted, or an earlier run gave. What was called inside is not kept with it. */
  private givenBaseline(baseline: BaselineOutcome, unaccepted: ReportedBaseline | undefined): Baseline {
    const { usage, model_calls: modelCalls, duration_ms: durationMs, meta, accepted } = baseline;
    const value = outcomeOf(baseline, this.parts.playing.codecs);
    return {
      compared: { kind: accepted ? 'accepted' : 'test_run', stored: baseline, value, unaccepted },
      earlier: {
        outcome: value,
        isWhole: meta?.output?.replayable !== false,
        durationMs,
        usage: usage && fromItemUsage(usage),
        modelCalls: modelCalls && fromItemModelCalls(modelCalls),
        calls: unknownFact,
      },
    };
  }

  private async recordedOutcome(
    call: RecordedCall,
    planned: PlannedItem,
    item: ReplayItem,
  ): Promise<EarlierOutcome> {
    const { codecs, options } = this.parts.playing;
    const descendants = options.evaluators && (await planned.descendants()?.catch(() => undefined));
    return {
      outcome: outcomeOf(call, codecs),
      isWhole: isWhole(call),
      durationMs: call.duration_ms,
      // The calls inside count too: who played it has counted them.
      usage: item.originalUsage,
      modelCalls: item.originalModelCalls,
      calls: descendants === undefined ? unknownFact : once(() => callsOf(call.span_id, descendants, codecs)),
    };
  }

  /** Judges the new outcome, and once for all repetitions the earlier one. @returns what evaluators failed with */
  private async evaluate(
    evaluators: ItemEvaluators,
    planned: PlannedItem,
    item: ReplayItem,
    { outcome, lines, isMocked }: Played,
    { compared, earlier }: Baseline,
    repetition: number,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { codecs } = this.parts.playing;
    const known = knownOf(planned, item, codecs, compared);
    const { verdict, divergences, durationMs = 0, usage } = item;
    const calls = callsIn(item.spanId, lines, codecs);
    const isJudged = earlier?.isWhole === true && (repetition === 0 || this.parts.other !== undefined);
    const [now, before] = await Promise.all([
      evaluators.evaluate(
        contextOf(known, {
          ...{ outcome, calls, usage, verdict, divergences, durationMs },
          ...(isMocked && { mocked: true }),
        }),
      ),
      isJudged
        ? evaluators.evaluate(
            contextOf(known, {
              ...{ verdict: 'same', divergences: [] },
              durationMs: item.timing === 'paired' ? earlier.durationMs : undefined,
              ...{ outcome: earlier.outcome, calls: earlier.calls, usage: earlier.usage },
            }),
          )
        : undefined,
    ]);
    item.scores = now.scores;
    if (before !== undefined && before.scores.length > 0) item.originalScores = before.scores;
    const errors = [...now.errors, ...(before?.errors ?? [])];
    return errors.length === 0 ? undefined : { error: failureOf(errors) };
  }

  private report(
    item: ReplayItem,
    planned: PlannedItem,
    recorded: StoredOutcome,
    { compared, errorOf }: Baseline & Pick<ReportFacts, 'errorOf'>,
  ): TestRunItemReport {
    const { capturer, playing } = this.parts;
    const { same, ignore } = playing.options;
    return reportOf(item, recorded, {
      ...{ capturer, same: same !== undefined, ignore, baseline: compared, errorOf },
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

/** Whether all of what came of it is known. */
function isWhole(call: StoredOutcome): boolean {
  return hasEnded(call) && call.meta?.output?.replayable !== false;
}

function outcomeOf(stored: StoredOutcome, codecs: readonly Codec[]): PlayedOutcome {
  const { output, meta } = stored;
  const error = recordedError(stored);
  const result =
    output === undefined ? undefined : decode(readValue({ json: output, meta: meta?.output }), codecs);
  if (error === undefined) return { result };
  const stream = Array.isArray(result) && meta?.stream && { kind: meta.stream.kind, items: result };
  return { error: decodeThrown(error), ...(stream && { stream }) };
}

/** What `same` compares: of a stream that failed what it yielded. */
function outputOf(outcome: PlayedOutcome): unknown {
  return 'result' in outcome ? outcome.result : outcome.stream?.items;
}

function knownOf(
  { call, expected, metadata }: PlannedItem,
  item: ReplayItem,
  codecs: readonly Codec[],
  compared: Baseline['compared'],
): KnownOfItem {
  const recorded = call && isWhole(call) ? outcomeOf(call, codecs) : undefined;
  const original = valueIn(recorded);
  const given = compared?.kind === 'self' ? undefined : valueIn(compared?.value);
  const wanted =
    (compared?.kind === 'accepted' ? given : undefined) ??
    (expected && { value: expected.value(codecs) }) ??
    original ??
    (compared?.kind === 'test_run' ? given : undefined);
  return {
    input: item.input.length === 1 ? item.input[0] : item.input,
    args: item.input,
    ...(wanted && { expected: wanted.value }),
    ...(original && { original: original.value }),
    metadata,
  };
}

function valueIn(outcome: PlayedOutcome | undefined): { readonly value: unknown } | undefined {
  return outcome !== undefined && 'result' in outcome ? { value: outcome.result } : undefined;
}

/** An evaluator or the comparison failed: whatever the outcome is, it is not judged. */
function fail(item: ReplayItem, error: unknown): void {
  item.verdict = 'error';
  item.error = error;
  delete item.fixed;
  delete item.failingAsBefore;
  delete item.accepted;
  if (!('originalError' in item)) item.newError = true;
}
