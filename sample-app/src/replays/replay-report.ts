import { inspect } from 'node:util';
import type { ReplayResult } from '@dacapo/tracer';

export interface ReplayReport extends Pick<
  ReplayResult,
  'testRunId' | 'testRunUrl' | 'passed' | 'failures' | 'totals'
> {
  /** Share of calls that pass each evaluator, for the candidate and the recording. */
  readonly scores: Readonly<Record<string, { readonly now: number | null; readonly before: number | null }>>;
  readonly items: readonly ReplayReportItem[];
}

interface ReplayReportItem extends Pick<
  ReplayResult['items'][number],
  'verdict' | 'input' | 'originalOutput' | 'result'
> {
  readonly error?: string;
}

/** Converts a result to the response: each call, the totals, and the gate's decision. */
export function toReplayReport({ items, ...run }: ReplayResult): ReplayReport {
  const { testRunId, testRunUrl, passed, failures, totals } = run;
  const scores = Object.entries(run.scores).map(([name, { mean, delta }]) => {
    const before = mean === null || delta === undefined ? null : mean - delta.mean;
    return [name, { now: mean, before }] as const;
  });
  return {
    testRunId,
    testRunUrl,
    ...(passed !== undefined && { passed }),
    failures,
    scores: Object.fromEntries(scores),
    totals,
    items: items.map(({ verdict, input, originalOutput, result, error }) => ({
      verdict,
      input,
      originalOutput,
      result,
      ...(error !== undefined && { error: error instanceof Error ? error.message : inspect(error) }),
    })),
  };
}
