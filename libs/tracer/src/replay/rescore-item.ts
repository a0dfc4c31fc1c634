import {
  judgeStored,
  readCandidateOutcome,
  readBaselineOutcome,
  type StoredOutcome,
} from '@dacapo/evaluation';
import { camelCased, type FieldMeta, type TestRunItemRecord } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import { sha256 } from '../hashing.js';
import type { Codec } from '../options/capture-options.js';
import { unknownFact } from './evaluate-item.js';
import { type Baseline, isWhole, type ItemBaselines, decodeOutcome } from './item-baseline.js';
import { toItemReport } from './item-report.js';
import type { OutcomeComparer } from './outcome-comparer.js';
import { failItem, type ItemResult } from './replay-item.js';
import type { PlannedItem } from './planned-item.js';
import type { ReplayItem } from '../replay-types.js';
import type { SideScores } from './score-sides.js';
import { nameItem, toShownItem } from './shown-item.js';
import { storedItem } from './stored-item.js';

export interface ItemRescorerParts {
  readonly baselines: ItemBaselines;
  readonly scores: SideScores;
  readonly comparer: OutcomeComparer;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  readonly signal: AbortSignal | undefined;
}

/** Judges the stored outcomes of a run again, and replays nothing. */
export class ItemRescorer {
  /** Number of unscored items, by reason. */
  readonly unscored = new Map<string, number>();

  constructor(private readonly parts: ItemRescorerParts) {}

  /** Never rejects. @returns `undefined` if the repetition is not stored, or if the run ended meanwhile */
  async run(planned: PlannedItem, repetition: number): Promise<ItemResult | undefined> {
    const record = planned.outcomes?.find((one) => (one.repetition ?? 0) === repetition);
    if (record === undefined) return undefined;
    const { codecs, scores, signal, comparer, capturer } = this.parts;
    const item = storedItem(record, codecs);
    item.scores = [];
    delete item.originalScores;
    const problem = whyNotScored(record);
    let stored = readCandidateOutcome(record);
    let errorSource = record.error_of;
    let baselineHash: string | undefined;
    if (problem !== undefined) {
      this.unscored.set(problem, (this.unscored.get(problem) ?? 0) + 1);
      item.notes = [problem];
      const isUnscored = errorSource === 'judgement';
      if (isUnscored || item.verdict === 'same') markUnknown(item);
      if (isUnscored) {
        stored = {};
        errorSource = undefined;
        delete item.error;
      }
    } else {
      compareAgain(item, record);
      const candidate = {
        outcome: decodeOutcome(stored, codecs),
        // The item stores neither inner calls nor whether one was mocked.
        calls: unknownFact,
        isMocked: false,
        durationMs: record.timing === 'paired' ? record.duration_ms : undefined,
        scoresBaseline: repetition === 0 || runsBeside(record),
      };
      const baseline = await this.readBaseline(planned, record, item);
      const scored = await scores.addTo(item, planned, candidate, baseline);
      ({ baselineHash } = scored);
      if (scored.failure !== undefined) {
        if (signal?.aborted === true) return undefined;
        failItem(item, scored.failure.error);
        stored = comparer.record(scored.failure);
        errorSource = 'judgement';
      }
    }
    const { baseline: kind = 'recording', compared_by: comparedBy, input, meta } = record;
    const isInputBrought = planned.call === undefined && planned.traceId === undefined && input !== undefined;
    const name = nameItem(planned, capturer, codecs);
    const outlined = toItemReport(item, stored, {
      capturer,
      same: comparedBy?.same === true,
      ignore: comparedBy?.ignore,
      errorSource,
      baselineHash,
      name,
      input: isInputBrought ? { json: input, meta: meta?.input } : undefined,
      baseline: { kind, stored: readBaselineOutcome(record) },
    });
    const { divergence_count: count } = record;
    const report = { ...outlined, ...(count !== undefined && { divergence_count: count }) };
    return {
      item,
      facts: { outcome: undefined, isModelFree: false },
      report,
      shown: toShownItem(planned, item, report, readBaselineOutcome(record), { capturer, name }),
    };
  }

  private async readBaseline(
    planned: PlannedItem,
    record: TestRunItemRecord,
    item: ReplayItem,
  ): Promise<Baseline> {
    if (!runsBeside(record)) return this.parts.baselines.of(planned, item, undefined);
    const { baseline: kind = 'self', original_usage: usage, original_model_calls: modelCalls } = record;
    const stored = readBaselineOutcome(record);
    const value = decodeOutcome(stored, this.parts.codecs);
    return {
      compared: { kind, stored, value },
      earlier: {
        outcome: value,
        isWhole: isWhole(stored),
        calls: unknownFact,
        durationMs: record.original_duration_ms,
        usage: usage && camelCased(usage),
        modelCalls: modelCalls && camelCased(modelCalls),
      },
    };
  }
}

/** Its baseline was another call of that run, which only the run stored. */
function runsBeside({ baseline }: TestRunItemRecord): boolean {
  return baseline === 'self' || baseline === 'function';
}

/** Compares stored outcomes. A verdict never becomes better than that of the run, and the verdict of a caller's `same` stays. */
function compareAgain(item: ReplayItem, record: TestRunItemRecord): void {
  const { compared_by: comparedBy, baseline, source_span_id: spanId } = record;
  if (comparedBy?.same === true) return;
  const before: StoredOutcome | undefined =
    baseline === undefined && spanId === undefined ? undefined : readBaselineOutcome(record);
  const { verdict, ...judgement } = judgeStored(before, readCandidateOutcome(record), {
    sha256,
    ignore: comparedBy?.ignore,
    isExpectation: baseline === 'expected',
  });
  if (verdict === record.verdict || verdict === 'same') return;
  dropFlags(item);
  Object.assign(item, { verdict, ...judgement });
}

/** Why the item cannot be scored; `undefined` if everything is stored. */
function whyNotScored({ erased, error, error_of: errorSource, meta }: TestRunItemRecord): string | undefined {
  if (erased) return 'its content was deleted';
  if (errorSource === 'play') return 'the call could not be made';
  if (errorSource === 'judgement' || error?.code === 'EVALUATION_EVALUATOR_FAILED')
    return 'an evaluator had failed, and the outcome was not stored';
  if (error?.cut) return 'its error is not stored completely';
  return isStoredWhole(meta?.output) ? undefined : 'its output was cut or masked';
}

function isStoredWhole({ replayable, redacted = [], truncated = {} }: FieldMeta = {}): boolean {
  return replayable !== false && redacted.length === 0 && Object.keys(truncated).length === 0;
}

function markUnknown(item: ReplayItem): void {
  item.verdict = 'unknown';
  dropFlags(item);
  delete item.diff;
}

/** Fields that belong to the verdict. */
function dropFlags(item: ReplayItem): void {
  delete item.fixed;
  delete item.failingAsBefore;
  delete item.newError;
  delete item.accepted;
}
