import { formatEvidence, formatInterval, formatNumber, plural } from '../gate/words.js';
import type { MeasureSummary, UnmeasuredSummary } from '../run/run.js';
import type { RunReport } from '../run/run-report.js';
import type { Difference } from '../statistics/interval.js';

export const SCORE_COLUMNS = ['Score', 'Mean', 'Interval', 'Items', 'Change', 'p', 'Items changed'];

/**
 * One row per score: name, mean, interval, items, change, p, items that got worse and better.
 *
 * @param showValues whether to show label texts
 */
export function scoreRows({ scores }: RunReport, showValues: boolean): string[][] {
  return Object.entries(scores).map(
    ([name, { mean, interval, n, notApplicable, missing, lost = 0, reused = 0, ...score }]) => [
      name,
      mean === null ? formatLabels(score.labels, showValues) : formatNumber(mean),
      interval ? formatInterval(interval) : '',
      [
        n,
        notApplicable > 0 && `${notApplicable} n/a`,
        missing > 0 && `${missing} missing`,
        lost > 0 && `${lost} lost`,
        reused > 0 && `${reused} reused`,
      ]
        .filter((part) => part !== false)
        .join(', '),
      ...formatChange(score.delta),
      score.delta === undefined ? '' : `${score.worse.length} worse, ${score.better} better`,
    ],
  );
}

export const MEASURE_COLUMNS = [
  'Per call',
  'Mean',
  'Change of the mean',
  'p',
  '95th percentile',
  'Change of the percentile',
  'p',
  'Items',
];

/** One row per measure: name, mean and 95th percentile, each with change and p, and the number of items. */
export function measureRows({ durations, usage, unmeasured = {} }: RunReport): string[][] {
  const row = (
    name: string,
    measured: MeasureSummary | undefined,
    lacking: UnmeasuredSummary | undefined,
  ): string[][] => {
    // If the recording answered every model call, there was nothing to measure.
    const isLost = lacking !== undefined && lacking.items > lacking.unknown;
    if (measured === undefined && !isLost) return [];
    const unknown = lacking === undefined ? [] : [`${lacking.items} unknown`];
    const items = [String(measured?.n ?? 0), ...unknown].join(', ');
    const [mean, p95] = measured
      ? [formatNumber(measured.mean), formatNumber(measured.p95)]
      : ['unknown', ''];
    return [[name, mean, ...formatChange(measured?.delta), p95, ...formatChange(measured?.p95Delta), items]];
  };
  return [
    ...row('Duration, ms', durations, unmeasured.durationMs),
    ...row('Tokens', usage.tokens, unmeasured.tokens),
    ...row('Cost, USD', usage.costUsd, unmeasured.costUsd),
  ];
}

function formatChange(delta: Difference | undefined): [string, string] {
  if (delta === undefined) return ['', ''];
  const sign = delta.mean > 0 ? '+' : '';
  const range = delta.interval ? ` (${formatInterval(delta.interval)})` : '';
  return [`${sign}${formatNumber(delta.mean)}${range}`, formatEvidence(delta)];
}

function formatLabels(labels: Record<string, number> = {}, showValues: boolean): string {
  if (!showValues) return plural(Object.keys(labels).length, 'label', 'labels');
  return Object.entries(labels)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([label, count]) => `${label} ${count}`)
    .join(', ');
}
