import { inspect, isDeepStrictEqual } from 'node:util';
import type { ReplayResult } from '@dacapo/tracer';

export interface ReplayReport {
  readonly testRunId: string;
  readonly testRunUrl: string;
  readonly totals: {
    readonly items: number;
    readonly same: number;
    readonly changed: number;
    readonly error: number;
  };
  readonly items: readonly ReplayReportItem[];
}

interface ReplayReportItem {
  readonly verdict: 'same' | 'changed' | 'error';
  readonly input: unknown;
  readonly originalOutput: unknown;
  readonly result?: unknown;
  readonly error?: string;
}

/** What became of each call, and of all. */
export function reportOf({ testRunId, testRunUrl, items }: ReplayResult): ReplayReport {
  const reported = items.map(reportItem);
  const count = (verdict: ReplayReportItem['verdict']): number =>
    reported.filter((item) => item.verdict === verdict).length;
  const totals = {
    items: items.length,
    same: count('same'),
    changed: count('changed'),
    error: count('error'),
  };
  return { testRunId, testRunUrl, totals, items: reported };
}

function reportItem({
  input,
  originalOutput,
  result,
  error,
}: ReplayResult['items'][number]): ReplayReportItem {
  if (error !== undefined) {
    return {
      verdict: 'error',
      input,
      originalOutput,
      error: error instanceof Error ? error.message : inspect(error),
    };
  }
  const verdict = isDeepStrictEqual(result, originalOutput) ? 'same' : 'changed';
  return { verdict, input, originalOutput, result };
}
