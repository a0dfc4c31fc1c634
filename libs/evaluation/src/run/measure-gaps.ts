import type { ModelCalls, RunItem, Usage } from './run-item.js';
import { isUsableNumber } from './score.js';

/** Measures whose rise a gate can limit. */
export const RISING_MEASURES = ['durationMs', 'tokens', 'costUsd'] as const;
export type RisingMeasure = (typeof RISING_MEASURES)[number];

/**
 * Why an item lacks a measure that its baseline has. `failed`: the item failed before anything was measured. `untold`: more model calls
 * without usage than in the baseline. `unseen`: no model call was seen. `unknown`: the number of model calls is unknown, such as when the
 * recording answered them. `mocked` (durations): an inner call was answered from the recording. `unpaired` (durations): the baseline did
 * not run in the same process, but other baselines did.
 */
export const GAP_KINDS = ['failed', 'untold', 'unseen', 'unknown', 'mocked', 'unpaired'] as const;
export type GapKind = (typeof GAP_KINDS)[number];

type MeasuredItem = Pick<
  RunItem,
  | 'verdict'
  | 'durationMs'
  | 'originalDurationMs'
  | 'timing'
  | 'usage'
  | 'originalUsage'
  | 'modelCalls'
  | 'originalModelCalls'
>;

/** Input plus output tokens. A missing part counts as 0; {@link findGaps} reports it. */
export function sumTokens({ inputTokens, outputTokens }: Usage = {}): number | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** Whether the item failed before its function was called. */
export function isUncalled({ verdict, durationMs }: Pick<RunItem, 'verdict' | 'durationMs'>): boolean {
  return verdict === 'error' && durationMs === undefined;
}

/** Why measures of one repetition of an item cannot be compared. */
export function findGaps(item: MeasuredItem): Partial<Record<RisingMeasure, GapKind>> {
  const { usage = {}, originalUsage = {} } = item;
  const [durationMs, originalDurationMs] = [usable(item.durationMs), usable(item.originalDurationMs)];
  if (isUncalled(item)) return { durationMs: 'failed', tokens: 'failed', costUsd: 'failed' };
  const tokens = findGap(item, usable(sumTokens(usage)), usable(sumTokens(originalUsage)), lackTokens);
  const costUsd = findGap(item, usable(usage.costUsd), usable(originalUsage.costUsd), lackCosts);
  const isUntimed = durationMs === undefined && originalDurationMs !== undefined;
  const duration = item.timing === 'mocked' ? 'mocked' : isUntimed ? 'unknown' : undefined;
  return {
    ...(duration && { durationMs: duration }),
    ...(tokens && { tokens }),
    ...(costUsd && { costUsd }),
  };
}

/** Ignores numbers that are too large, and NaN. */
function usable(value: number | undefined): number | undefined {
  return value !== undefined && isUsableNumber(value) ? value : undefined;
}

function findGap(
  { verdict, modelCalls, originalModelCalls }: MeasuredItem,
  now: number | undefined,
  before: number | undefined,
  isLacking: (now: ModelCalls, before: ModelCalls | undefined) => boolean,
): GapKind | undefined {
  if (before === undefined) return undefined;
  const isShort = modelCalls !== undefined && isLacking(modelCalls, originalModelCalls);
  if (now !== undefined) return isShort ? 'untold' : undefined;
  if (verdict === 'error') return 'failed';
  if (modelCalls === undefined) return 'unknown';
  return modelCalls.made === 0 ? 'unseen' : 'untold';
}

/** Some calls never have tokens, such as speech models, so only an increase counts. */
function lackTokens(now: ModelCalls, before: ModelCalls | undefined): boolean {
  const withoutTokens = ({ made, inputTokens, outputTokens }: ModelCalls): number =>
    made - Math.max(inputTokens, outputTokens);
  if (withoutTokens(now) > (before === undefined ? 0 : withoutTokens(before))) return true;
  if (before === undefined) return false;
  // Only input or only output tokens are missing now.
  return (
    now.inputTokens < Math.min(before.inputTokens, now.made) ||
    now.outputTokens < Math.min(before.outputTokens, now.made)
  );
}

function lackCosts(now: ModelCalls, before: ModelCalls | undefined): boolean {
  const unpriced = ({ made, costUsd }: ModelCalls): number => made - costUsd;
  return unpriced(now) > (before === undefined ? 0 : unpriced(before));
}
