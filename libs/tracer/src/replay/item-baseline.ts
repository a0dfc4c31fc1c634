import {
  type Call,
  hasEnded,
  type ModelCalls,
  recordedError,
  type StoredOutcome,
  type Usage,
} from '@dacapo/evaluation';
import {
  type Baseline as StoredBaseline,
  type BaselineOutcome,
  camelCased,
  decode,
  decodeThrown,
  readValue,
  type RecordedCall,
} from '@dacapo/protocol';
import type { Codec } from '../options/capture-options.js';
import type { SpanDefinition } from '../recording/span-definition.js';
import { toCalls, once } from './to-calls.js';
import { unknownFact } from './evaluate-item.js';
import type { ReportedBaseline } from './item-report.js';
import type { OutcomeComparer } from './outcome-comparer.js';
import type { PlannedItem } from './planned-item.js';
import type { CallReplay, LiveOutcome } from './replay-call.js';
import type { ReplayItem } from '../replay-types.js';

/** How the same call ended before: evaluators judge it as they judge the new one. */
export interface EarlierOutcome {
  readonly outcome: LiveOutcome;
  /** All of the output is known. */
  readonly isWhole: boolean;
  readonly durationMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly modelCalls: ModelCalls | undefined;
  readonly calls: () => Call[];
  /** The stored records that all of this is made of. Absent where the outcome was made in this process: its scores are not reused. */
  readonly stored?: unknown;
}

/** What a new outcome is set beside. */
export interface Baseline {
  /** What the verdict compares with; absent when there is nothing. */
  readonly compared?: ReportedBaseline & {
    readonly value: LiveOutcome;
    /** What would be compared with, had nobody accepted another outcome. */
    readonly unaccepted?: ReportedBaseline | undefined;
  };
  /** What evaluators judge too. */
  readonly earlier?: EarlierOutcome;
  /** The replayed call of the other version, where one ran beside. */
  readonly beside?: CallReplay;
  /** Why the other version could not be called. */
  readonly problem?: string;
}

export interface ItemBaselinesParts {
  readonly comparer: OutcomeComparer;
  readonly codecs: readonly Codec[];
  /** Of the run; absent: the recording. */
  readonly ofRun: StoredBaseline | undefined;
  /** Evaluators may ask what was called inside. */
  readonly needsCalls: boolean;
}

/** Finds what items are compared with, where that is stored. */
export class ItemBaselines {
  constructor(private readonly parts: ItemBaselinesParts) {}

  /** @param definition of the new call, by which an expected value is recorded as it is */
  async of(
    planned: PlannedItem,
    item: ReplayItem,
    definition: SpanDefinition | undefined,
  ): Promise<Baseline> {
    const { codecs, ofRun } = this.parts;
    const { call, baseline } = planned;
    const recording: Baseline =
      call === undefined
        ? {}
        : {
            earlier: await this.readRecordedOutcome(call, planned, item),
            compared: { kind: 'recording', stored: call, value: decodeOutcome(call, codecs) },
          };
    const expectation = this.readExpectation(planned, definition, recording);
    if (baseline !== undefined) return this.toStoredBaseline(baseline, (expectation ?? recording).compared);
    // An earlier run that has no such item says nothing of it.
    return typeof ofRun === 'object' ? {} : (expectation ?? recording);
  }

  /** What the item says that is to come of it; evaluators still judge the recording beside it. */
  private readExpectation(
    { expected }: PlannedItem,
    definition: SpanDefinition | undefined,
    { earlier }: Baseline,
  ): Baseline | undefined {
    if (expected === undefined) return undefined;
    const value = { result: expected.value(this.parts.codecs) };
    const stored = expected.stored ?? this.parts.comparer.record(value, definition);
    return { ...(earlier && { earlier }), compared: { kind: 'expected', stored, value } };
  }

  /** What a person accepted, or an earlier run gave. What was called inside is not kept with it. */
  private toStoredBaseline(baseline: BaselineOutcome, unaccepted: ReportedBaseline | undefined): Baseline {
    const { usage, model_calls: modelCalls, duration_ms: durationMs, meta, accepted } = baseline;
    const value = decodeOutcome(baseline, this.parts.codecs);
    return {
      compared: { kind: accepted ? 'accepted' : 'test_run', stored: baseline, value, unaccepted },
      earlier: {
        outcome: value,
        isWhole: meta?.output?.replayable !== false,
        durationMs,
        usage: usage && camelCased(usage),
        modelCalls: modelCalls && camelCased(modelCalls),
        calls: unknownFact,
        stored: baseline,
      },
    };
  }

  private async readRecordedOutcome(
    call: RecordedCall,
    planned: PlannedItem,
    item: ReplayItem,
  ): Promise<EarlierOutcome> {
    const { codecs, needsCalls } = this.parts;
    const descendants = needsCalls ? await planned.descendants()?.catch(() => undefined) : undefined;
    return {
      outcome: decodeOutcome(call, codecs),
      isWhole: isWhole(call),
      durationMs: call.duration_ms,
      // The calls inside count too: who played it has counted them.
      usage: item.originalUsage,
      modelCalls: item.originalModelCalls,
      calls: descendants === undefined ? unknownFact : once(() => toCalls(call.span_id, descendants, codecs)),
      stored: descendants ?? 'unknown calls',
    };
  }
}

/** Whether all of what came of it is known. */
export function isWhole(call: StoredOutcome): boolean {
  return hasEnded(call) && call.meta?.output?.replayable !== false;
}

/** A stored outcome as the function gave it. */
export function decodeOutcome(stored: StoredOutcome, codecs: readonly Codec[]): LiveOutcome {
  const { output, meta } = stored;
  const error = recordedError(stored);
  const result =
    output === undefined ? undefined : decode(readValue({ json: output, meta: meta?.output }), codecs);
  if (error === undefined) return { result };
  const stream = Array.isArray(result) && meta?.stream && { kind: meta.stream.kind, items: result };
  return { error: decodeThrown(error), ...(stream && { stream }) };
}
