import type { RunTotals } from '@dacapo/evaluation';
import type { TestRunItemSummary } from '@dacapo/protocol';

export interface ReplayEvidence {
  /** Traces whose failing calls must be fixed. */
  readonly targets: ReadonlySet<string>;
  readonly items: readonly TestRunItemSummary[];
  readonly totals: Pick<RunTotals, 'items' | 'missing' | 'unstored'>;
  /** Whether the replay ended with exit code 0. */
  readonly isComplete: boolean;
  readonly isStale: boolean;
}

export interface Verification {
  readonly isVerified: boolean;
  /** Sentences without recorded text. */
  readonly reasons: readonly string[];
}

/**
 * Decides whether a fix is verified: the whole replay was stored, every named call failed and no longer does, and at least one other
 * call succeeds as recorded while none of the others changed, failed anew, or made other calls inside.
 */
export function verifyFix({ targets, items, totals, isComplete, isStale }: ReplayEvidence): Verification {
  const named = items.filter(({ source_trace_id: id }) => id !== undefined && targets.has(id));
  const others = items.filter((item) => !named.includes(item));
  const reached = new Set(named.map(({ source_trace_id: id }) => id));
  const fixed = named.filter(({ fixed: isFixed }) => isFixed === true);
  const failing = named.filter(({ failing_as_before: isFailing }) => isFailing === true);
  const harmed = others.filter((item) => !isUnharmed(item));
  const succeeding = others.filter((item) => isUnharmed(item) && item.failing_as_before !== true);
  const reasons = [
    ...(isComplete ? [] : ['The replay did not end well.']),
    ...(isStale ? ['The build is older than its sources: build, then replay again.'] : []),
    ...(items.length === totals.items && totals.missing === 0 && totals.unstored === 0
      ? []
      : ['Some items were not replayed or not stored.']),
    ...(targets.size === 0 ? ['No failing call was named: pass its trace id in trace_ids.'] : []),
    ...(reached.size === targets.size
      ? []
      : [`${targets.size - reached.size} of the named traces were not replayed.`]),
    ...(failing.length === 0
      ? []
      : [`${failing.length} of ${named.length} named calls still fail as recorded.`]),
    ...(fixed.length + failing.length === named.length
      ? []
      : [
          `${named.length - fixed.length - failing.length} of ${named.length} named calls are not fixed failures. Only calls that failed can be verified; look at others with diff_item.`,
        ]),
    ...(harmed.length === 0
      ? []
      : [`${harmed.length} of ${others.length} other calls changed: look at them with diff_item.`]),
    ...(succeeding.length > 0
      ? []
      : ['No other call with this key succeeds as recorded, so nothing shows that the fix harms none.']),
  ];
  return {
    isVerified: reasons.length === 0,
    reasons:
      reasons.length > 0
        ? reasons
        : [
            `${fixed.length} of ${named.length} named calls fixed, ${others.length} of ${others.length} other calls unharmed.`,
          ],
  };
}

function isUnharmed({ verdict, fixed, divergence_count: divergences = 0 }: TestRunItemSummary): boolean {
  return (verdict === 'same' || fixed === true) && divergences === 0;
}
