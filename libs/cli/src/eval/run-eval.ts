import {
  compareVariants,
  summarizeDecision,
  describeComparison,
  type VariantComparison,
} from '@dacapo/evaluation';
import type { EvaluateOptions, EvaluationData, EvaluationItem, Tracer } from '@dacapo/tracer';
import type { MaskedItem, MaskedItemsOption } from '@dacapo/tracer/internal';
import { inspect } from 'node:util';
import type { CliIo } from '../io.js';
import { GateFailedError } from '../errors.js';
import { type FinishedRun, describeRun } from '../replay/run-report.js';
import type { StopRequest } from './stop-request.js';
import { EvalInterruptedError, NothingToEvaluateError } from './errors.js';
import { EvalGrid } from './eval-grid.js';
import { LiveGrid } from './live-grid.js';
import type { EvalPlan } from './read-eval.js';

/** The result of one eval file. */
export interface EvaluatedFile {
  readonly plan: EvalPlan;
  readonly grid: EvalGrid;
  /** One per evaluated variant, in order. */
  readonly runs: readonly { readonly variant: string; readonly run: FinishedRun }[];
  /** Empty without variants, and when the evaluation ended early. */
  readonly comparisons: readonly VariantComparison[];
}

export interface EvalConditions {
  readonly tracer: Tracer;
  readonly io: CliIo;
  readonly stop: StopRequest;
  readonly isJson: boolean;
}

/** Evaluates the variants of a file one after the other, each as its own test run. */
export async function runEval(
  plan: EvalPlan,
  data: EvaluationData,
  { tracer, io, stop, isJson }: EvalConditions,
): Promise<EvaluatedFile> {
  const grid = new EvalGrid(
    plan.variants.map(({ name }) => name),
    {
      names: isList(data) ? data.map(({ name }) => name) : [],
      keepsValues: isJson,
      identify: itemIdentity(data),
    },
  );
  const live = new LiveGrid(grid, io, isJson);
  const { MASKED_ITEMS } = await import('@dacapo/tracer/internal');
  const runs: { variant: string; run: FinishedRun }[] = [];
  try {
    for (const { name: variant, fn } of plan.variants) {
      if (stop.signal.aborted) break;
      const title = variant === '' ? plan.name : `${plan.name} · ${variant}`;
      const result = await tracer.evaluate(fn, {
        ...plan.options,
        data,
        name: title,
        keep: 'none',
        signal: stop.signal,
        onStart: (run) => {
          io.reportRun?.({ testRunId: run.testRunId, status: 'running' });
          live.start(variant, run);
        },
        [MASKED_ITEMS]: (item: MaskedItem) => {
          grid.add(variant, item);
          live.add(item);
        },
      } satisfies EvaluateOptions & MaskedItemsOption);
      io.reportRun?.({ testRunId: result.testRunId, status: result.status });
      runs.push({ variant, run: describeRun(title, [], result) });
      if (result.status === 'interrupted') break;
    }
  } finally {
    live.end();
  }
  const isWhole =
    runs.length === plan.variants.length && runs.every(({ run: { status } }) => status === 'finished');
  const { gate } = plan.options;
  const comparisons =
    isWhole && runs.length > 1
      ? compareVariants(grid.scores(), { confidence: gate?.confidence, sessions: grid.sessions() })
      : [];
  return { plan, grid, runs: runs.map((one) => withComparisons(one, comparisons)), comparisons };
}

/** Adds the comparisons to the run's notes, which reports show. */
function withComparisons<T extends { readonly variant: string; readonly run: FinishedRun }>(
  one: T,
  comparisons: readonly VariantComparison[],
): T {
  const own = comparisons.filter(({ variants }) => variants.includes(one.variant)).map(describeComparison);
  return own.length === 0 ? one : { ...one, run: { ...one.run, notes: [...(one.run.notes ?? []), ...own] } };
}

function isList(data: EvaluationData): data is readonly EvaluationItem[] {
  return Array.isArray(data);
}

/**
 * Identifies items across variants. Each variant selects its items again, so calls recorded in between, or a new version of the
 * dataset, must not pair different items.
 */
function itemIdentity(data: EvaluationData): (item: MaskedItem) => string {
  if (isList(data)) return ({ itemNo }) => String(itemNo);
  if ('key' in data) return ({ itemNo, sourceSpanId }) => sourceSpanId ?? `#${itemNo}`;
  return ({ itemNo, sourceSpanId = '', input }) =>
    `#${itemNo} ${sourceSpanId} ${inspect(input, { depth: 10 })}`;
}

/** @throws EvalInterruptedError, NothingToEvaluateError, GateFailedError */
export function checkEvaluated({ plan, runs }: EvaluatedFile, { stopped }: StopRequest): void {
  const isShort = runs.length < plan.variants.length || runs.some(({ run }) => run.status === 'interrupted');
  if (isShort) throw new EvalInterruptedError(plan.file, stopped);
  const empty = runs.find(({ run }) => run.totals.items === 0);
  if (empty !== undefined) throw new NothingToEvaluateError(plan.file, empty.run.warnings);
  const failed = runs.filter(({ run }) => run.passed === false);
  if (failed.length === 0) return;
  const decisions = failed.map(({ variant, run }) =>
    variant === '' ? summarizeDecision(run) : `${variant}: ${summarizeDecision(run)}`,
  );
  throw new GateFailedError(decisions.join('; '));
}
