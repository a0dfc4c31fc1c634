import type { ModelCalls, RunItem, Usage } from './run-item.js';
import { isUsableNumber } from './score.js';

/** What a gate sets a limit on the rise of. */
export const RISING_MEASURES = ['durationMs', 'tokens', 'costUsd'] as const;
export type RisingMeasure = (typeof RISING_MEASURES)[number];

/**
 * Why a measure of an item is not known now, though its baseline has it. `failed`: the item failed before anything was
 * measured. `untold`: model calls told nothing of it, more than in the baseline. `unseen`: no model call was seen at all.
 * `unknown`: nobody says how many were made, as where the recording answered them. `mocked`: of a duration, a call was answered
 * from the recording. `unpaired`: of a duration, the baseline did not run beside the item, though it did beside others.
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

/** Input and output together; one that is not told counts as none, which {@link gapsOf} finds. */
export function tokensOf({ inputTokens, outputTokens }: Usage = {}): number | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** Whether it failed before it was called: nothing is known of what the code would have done. */
export function isUncalled({ verdict, durationMs }: Pick<RunItem, 'verdict' | 'durationMs'>): boolean {
  return verdict === 'error' && durationMs === undefined;
}

/** What of one playing of an item cannot be compared, and why. */
export function gapsOf(item: MeasuredItem): Partial<Record<RisingMeasure, GapKind>> {
  const { usage = {}, originalUsage = {} } = item;
  const [durationMs, originalDurationMs] = [usable(item.durationMs), usable(item.originalDurationMs)];
  if (isUncalled(item)) return { durationMs: 'failed', tokens: 'failed', costUsd: 'failed' };
  const tokens = gapOf(item, usable(tokensOf(usage)), usable(tokensOf(originalUsage)), lackTokens);
  const costUsd = gapOf(item, usable(usage.costUsd), usable(originalUsage.costUsd), lackCosts);
  const isUntimed = durationMs === undefined && originalDurationMs !== undefined;
  const duration = item.timing === 'mocked' ? 'mocked' : isUntimed ? 'unknown' : undefined;
  return {
    ...(duration && { durationMs: duration }),
    ...(tokens && { tokens }),
    ...(costUsd && { costUsd }),
  };
}

/** What is no number that can be compared is not known. */
function usable(value: number | undefined): number | undefined {
  return value !== undefined && isUsableNumber(value) ? value : undefined;
}

function gapOf(
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

/** Some calls never tell tokens, as those of a model that speaks: what counts is whether more are silent than were. */
function lackTokens(now: ModelCalls, before: ModelCalls | undefined): boolean {
  const silent = ({ made, inputTokens, outputTokens }: ModelCalls): number =>
    made - Math.max(inputTokens, outputTokens);
  if (silent(now) > (before === undefined ? 0 : silent(before))) return true;
  if (before === undefined) return false;
  // One of both halves alone is not told any more.
  return (
    now.inputTokens < Math.min(before.inputTokens, now.made) ||
    now.outputTokens < Math.min(before.outputTokens, now.made)
  );
}

function lackCosts(now: ModelCalls, before: ModelCalls | undefined): boolean {
  const unpriced = ({ made, costUsd }: ModelCalls): number => made - costUsd;
  return unpriced(now) > (before === undefined ? 0 : unpriced(before));
}
