import type { ScoreSummary } from '@dacapo/evaluation';
import { type JsonObject, LIMITS } from '@dacapo/protocol';
import type { ResolvedRunOptions } from '../options/run-options.js';
import type { ReplayResult } from '../replay-types.js';

/** Maximum number of worse items to name per score. */
const MOST_WORSE = 500;
/** Maximum number of labels to count per score. */
const MOST_LABELS = 100;

/** Members of a result that are not figures and are stored elsewhere. */
const NOT_STORED = { testRunId: undefined, testRunUrl: undefined, status: undefined, items: undefined };

/** `worse` is cut, but its count is not. */
type StoredScore = ScoreSummary & { worseCount: number };

/** The conclusion of a run as the service stores it: the figures, and the decision with its gate. */
export function toRunSummary(
  result: ReplayResult,
  { gate, baseline }: Pick<ResolvedRunOptions, 'gate' | 'baseline'>,
): JsonObject {
  const isFunction = typeof baseline === 'object' && 'function' in baseline;
  const version = isFunction ? (baseline.name ?? (baseline.function.name || 'a function')) : undefined;
  const summary = (most: number): string =>
    JSON.stringify({ ...result, ...NOT_STORED, scores: shortened(result.scores, most), gate, version });
  let most = 1;
  let json = summary(most);
  // Halves each list until the service accepts it.
  while (Buffer.byteLength(json) > LIMITS.summaryBytes && most > 1 / 1024) json = summary((most /= 2));
  return JSON.parse(json) as JsonObject;
}

function shortened(
  scores: Readonly<Record<string, ScoreSummary>>,
  share: number,
): Record<string, StoredScore> {
  const entries = Object.entries(scores).map(([name, { worse, labels, ...score }]): [string, StoredScore] => {
    const counts = Object.entries(labels ?? {}).sort(([, a], [, b]) => b - a);
    return [
      name,
      {
        ...score,
        worse: worse.slice(0, Math.ceil(MOST_WORSE * share)),
        worseCount: worse.length,
        ...(labels && { labels: Object.fromEntries(counts.slice(0, Math.ceil(MOST_LABELS * share))) }),
      },
    ];
  });
  return Object.fromEntries(entries);
}
