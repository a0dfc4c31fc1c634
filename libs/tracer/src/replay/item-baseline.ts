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

/** The earlier outcome of the same call. Evaluators score it like the new one. */
export interface EarlierOutcome {
  readonly outcome: LiveOutcome;
  /** Whether the complete output is known. */
  readonly isWhole: boolean;
  readonly durationMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly modelCalls: ModelCalls | undefined;
  readonly calls: () => Call[];
  /** The stored records of the outcome. Absent for an outcome of this process, whose scores are not reused. */
  readonly stored?: unknown;
}

/** The baseline of a new outcome. */
export interface Baseline {
  /** The outcome that the verdict compares with; absent without one. */
  readonly compared?: ReportedBaseline & {
    readonly value: LiveOutcome;
    /** The baseline without acceptances. */
    readonly unaccepted?: ReportedBaseline | undefined;
  };
  /** The outcome that evaluators also score. */
  readonly earlier?: EarlierOutcome;
  /** The replayed call of the other version, if one ran next to it. */
  readonly beside?: CallReplay;
  /** Why the other version could not be called. */
  readonly problem?: string;
}

export interface ItemBaselinesParts {
  readonly comparer: OutcomeComparer;
  readonly codecs: readonly Codec[];
  /** The baseline of the run; absent: the recording. */
  readonly ofRun: StoredBaseline | undefined;
  /** Whether evaluators may read inner calls. */
  readonly needsCalls: boolean;
}

/** Finds stored baselines of items. */
export class ItemBaselines {
  constructor(private readonly parts: ItemBaselinesParts) {}

  /** @param definition of the new call; an expected value is captured with the same rules */
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
    // An earlier run without the item has no baseline for it.
    return typeof ofRun === 'object' ? {} : (expectation ?? recording);
  }

  /** The expected value of the item. Evaluators still score the recording too. */
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

  /** An accepted outcome, or that of an earlier run. Its inner calls are not stored. */
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
      // The stored counts include inner calls, because the earlier run counted them.
      usage: item.originalUsage,
      modelCalls: item.originalModelCalls,
      calls: descendants === undefined ? unknownFact : once(() => toCalls(call.span_id, descendants, codecs)),
      stored: descendants ?? 'unknown calls',
    };
  }
}

/** Whether the outcome is completely known. */
export function isWhole(call: StoredOutcome): boolean {
  return hasEnded(call) && call.meta?.output?.replayable !== false;
}

/** Restores a stored outcome as the function's result. */
export function decodeOutcome(stored: StoredOutcome, codecs: readonly Codec[]): LiveOutcome {
  const { output, meta } = stored;
  const error = recordedError(stored);
  const result =
    output === undefined ? undefined : decode(readValue({ json: output, meta: meta?.output }), codecs);
  if (error === undefined) return { result };
  const stream = Array.isArray(result) && meta?.stream && { kind: meta.stream.kind, items: result };
  return { error: decodeThrown(error), ...(stream && { stream }) };
}
