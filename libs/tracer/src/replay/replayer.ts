import { type Gate, nameEvaluators, readGate } from '@dacapo/evaluation';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from '../options/check-options.js';
import { EVALUATE_OPTIONS, type EvaluateOptions } from '../options/evaluate-options.js';
import { checkOtlpOptions, REPLAY_OPTIONS, type RunOptions } from '../options/replay-options.js';
import { RESCORE_OPTIONS, type RescoreOptions } from '../options/rescore-options.js';
import { type ResolvedRunOptions, RUN_OPTIONS, type RunBaseline } from '../options/run-options.js';
import { readTracedKey } from '../recording/record-call.js';
import { BaselineScores } from './baseline-scores.js';
import { CallCosts } from './call-costs.js';
import { readData } from './evaluation-data.js';
import { ItemEvaluators } from './evaluate-item.js';
import { ItemBaselines } from './item-baseline.js';
import { mergePaths, OutcomeComparer } from './outcome-comparer.js';
import { ArgumentNormalizer } from './mock/argument-normalizer.js';
import { MockPolicy } from './mock/mock-policy.js';
import { guardNetwork } from './network-guard.js';
import { agreeOn } from './one-decision.js';
import { OtherVersion } from './other-version.js';
import { ItemReplayer } from './replay-item.js';
import type { ReplayContext, Replayable } from './replay-call.js';
import type { ReplayHooks } from './replay-hooks.js';
import { showRecordedTimes } from './recorded-clock.js';
import { replayItems, type ReplayItemsParts } from './replay-items.js';
import type { OtlpArguments, ReplayResult } from '../replay-types.js';
import { SideScores } from './score-sides.js';
import { ItemRescorer } from './rescore-item.js';
import { RunResults } from './run-results.js';
import { toRunSummary } from './run-summary.js';
import { storedItem } from './stored-item.js';
import type { OpenRun, RunData, RunSource } from './source/run-source.js';

export interface ReplayerParts extends ReplayItemsParts {
  /** Wraps the function with the key. */
  readonly record: (key: string, fn: Replayable) => Replayable;
  /** Whether `record` records. If not, inner calls are unknown. */
  readonly isRecorded: boolean;
  readonly source: RunSource;
  /** Hooks of an integration. */
  readonly hooks: ReplayHooks | undefined;
  readonly nowMs: () => number;
  /** Whether records of replayed calls stay in this process, also those of tracers with a key. */
  readonly isLocal?: boolean;
}

/** Data, function and options of a run. */
interface RunPlan {
  /** Prefix of option names in errors, such as `replay.`. */
  readonly owner: string;
  readonly key: string;
  readonly fn: Replayable;
  readonly data: RunData;
  readonly options: ResolvedRunOptions;
  readonly args?: OtlpArguments | undefined;
}

/** Replays items with a new version of their function: stored calls with a key (SPEC 4.2 `replay`), datasets or lists. */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  /** @throws when the run cannot start: invalid options, or a service that does not answer */
  async replay(key: string, fn: Replayable, replayOptions: RunOptions = {}): Promise<ReplayResult> {
    // Rejects a blank key, and a value that is not a function.
    this.parts.record(key, fn);
    const options = resolveOptions('replay.', REPLAY_OPTIONS, replayOptions);
    checkOtlpOptions(options);
    const { args } = options;
    const data = { kind: 'calls' as const, key, selection: options };
    return this.run({ owner: 'replay.', key, fn, options, data, args });
  }

  /** @throws as `replay` */
  async evaluate(fn: Replayable, evaluateOptions: EvaluateOptions): Promise<ReplayResult> {
    const options = resolveOptions('evaluate.', EVALUATE_OPTIONS, evaluateOptions);
    const data = readData(options.data, options);
    const ofData = data.kind === 'calls' ? data.key : undefined;
    const name = typeof fn === 'function' ? (readTracedKey(fn) ?? fn.name) : 'evaluation';
    const key = options.key ?? ofData ?? name;
    if (key === '')
      throw new InvalidOptionError(
        'evaluate.key',
        'is missing, and the function has no name',
        "Write key: 'desk', say.",
      );
    return this.run({ owner: 'evaluate.', key, fn, options, data });
  }

  /** @throws as `replay` */
  async rescore(testRunId: string, rescoreOptions: RescoreOptions): Promise<ReplayResult> {
    const fn = resolveOptions('rescore.', RESCORE_OPTIONS, rescoreOptions);
    if (fn.evaluators === undefined)
      throw new InvalidOptionError('rescore.evaluators', 'is missing', 'Write it like { polite }.');
    const options: ResolvedRunOptions = { ...resolveOptions('rescore.', RUN_OPTIONS, {}), ...fn };
    const data = { kind: 'run' as const, testRunId };
    return this.run({ owner: 'rescore.', key: `run ${testRunId}`, fn: () => undefined, options, data });
  }

  private async run({ owner, key, fn, data, options: replayable, args }: RunPlan): Promise<ReplayResult> {
    const replayed = this.replayed(key, fn);
    const { source, codecs, capturer, nowMs, isRecorded, isLocal = false } = this.parts;
    const { timeoutMs, signal, name, resume } = replayable;
    const gate = replayable.gate && readGate(replayable.gate);
    const evaluators = replayable.evaluators && nameEvaluators(replayable.evaluators);
    checkTimeLimit(owner, gate, replayable.baseline);
    const ownComparer = new OutcomeComparer({
      ...this.parts,
      same: replayable.same,
      ignore: replayable.ignore,
    });
    // Calls of a file may have been masked with another salt.
    const normalizer = new ArgumentNormalizer(replayable.normalize, `${owner}normalize`, isLocal);
    const run = await source.open({ ...replayable, key, data: this.ofOwnClass(data) });
    const { ignore = [] } = run;
    const comparer = ownComparer.alsoIgnoring(ignore);
    const options = {
      ...replayable,
      repeat: run.repeat ?? replayable.repeat,
      ...(ignore.length > 0 && { ignore: mergePaths(replayable.ignore, ignore) }),
    };
    const { repeat } = options;
    const results = new RunResults({ ...options, gate, title: name ?? key, capturer });
    const costs = new CallCosts(source);
    const context: ReplayContext = {
      key,
      isRecorded,
      isLocal,
      costs,
      options,
      codecs,
      nowMs,
      ...replayed,
      args,
      hooks: this.parts.hooks ?? createHooks(options),
      testRunId: run.id,
      normalizer,
      policy: new MockPolicy(options.mock, options.onMockMiss, options.live),
      sourceTarget: source.target,
      ran: results.ran,
      unwrapped: results.unwrapped,
    };
    const itemEvaluators = evaluators && new ItemEvaluators(evaluators, { ...replayable, testRunId: run.id });
    const baselineScores = itemEvaluators && new BaselineScores(itemEvaluators, source);
    const baselines = new ItemBaselines({
      comparer,
      codecs,
      ofRun: run.baseline,
      needsCalls: evaluators !== undefined,
    });
    const scores =
      itemEvaluators &&
      baselineScores &&
      new SideScores({ evaluators: itemEvaluators, baselines: baselineScores, codecs });
    const judging = { comparer, capturer, codecs, baselines };
    const itemReplayer = new ItemReplayer({
      ...judging,
      context,
      scores,
      other: this.otherVersion(context, comparer),
      mayVary: () => itemEvaluators?.mayVary === true,
    });
    const rescorer =
      data.kind === 'run' && scores ? new ItemRescorer({ ...judging, scores, signal }) : undefined;
    let failure: { readonly error: unknown } | undefined;
    let unguard: (() => void) | undefined;
    let showRealTimes: (() => void) | undefined;
    try {
      options.onStart?.({
        testRunId: run.id,
        testRunUrl: run.url,
        items: run.itemCount,
        calls: run.itemCount * repeat,
        replayedBefore: run.replayedBefore,
      });
      if (options.network === 'deny') unguard = await guardNetwork();
      if (options.clock === 'recorded') showRealTimes = showRecordedTimes();
      if (resume !== undefined) await this.restore(run, options.keep, results);
      await replayItems(context, { replayer: itemReplayer, rescorer, results, run }, this.parts);
    } catch (error) {
      failure = { error };
    } finally {
      unguard?.();
      showRealTimes?.();
    }
    if (run.isUnknownKey) results.warnings.push(unknownKey(data.kind === 'calls' ? data.key : key, run));
    if (ignore.length > 0)
      results.warnings.push(
        `Not compared, because decisions on earlier runs ignore it: ${ignore.join(', ')}.`,
      );
    if (results.count > 0) results.warnings.push(...normalizer.warnings());
    if (costs.problem !== undefined) results.warnings.push(`Costs are unknown: ${costs.problem}`);
    if (baselineScores?.problem !== undefined)
      results.warnings.push(
        `Scores of earlier runs could not be read, so baselines were scored again: ${baselineScores.problem}`,
      );
    for (const [reason, count] of rescorer?.unscored ?? [])
      results.warnings.push(`${count} stored outcomes were not scored: ${reason}.`);
    results.skip(run.skipped);
    const missing = Math.max(0, run.itemCount * repeat - results.count);
    if (missing > 0) results.miss(missing, whyShort(missing, failure, signal));
    // The source has one deadline for all remaining steps.
    const deadlineMs = nowMs() + timeoutMs;
    const { totals, lost, unreported } = await run.settle(deadlineMs);
    for (const [count, warning] of lost) results.lose(count, warning);
    const status = missing > 0 || unreported > 0 ? 'interrupted' : 'finished';
    const result = results.result(
      { testRunId: run.id, testRunUrl: run.url, status },
      totals && { totals, expected: run.itemCount * repeat },
    );
    const confirmed = await run.finish({ status, summary: toRunSummary(result, options) }, deadlineMs);
    if (unreported === 0) agreeOn(result, confirmed, timeoutMs);
    if (failure !== undefined && results.count === 0) throw failure.error;
    return result;
  }

  /** The function to call, recorded with the key. @throws InvalidOptionError */
  private replayed(key: string, fn: Replayable): Pick<ReplayContext, 'fn' | 'isBare'> {
    const isBare = readTracedKey(fn) === undefined;
    return { fn: isBare ? this.parts.record(key, fn) : fn, isBare };
  }

  private otherVersion(context: ReplayContext, comparer: OutcomeComparer): OtherVersion | undefined {
    const { baseline } = context.options;
    if (baseline === 'self') return new OtherVersion('self', context, comparer);
    if (typeof baseline !== 'object' || !('function' in baseline)) return undefined;
    const fn = this.replayed(context.key, baseline.function as Replayable);
    return new OtherVersion('function', { ...context, ...fn }, comparer);
  }

  /** Excludes calls of other classes with the same key, unless the caller names classes. */
  private ofOwnClass(data: RunData): RunData {
    const { exceptClasses: others = [] } = this.parts.hooks ?? {};
    if (data.kind !== 'calls' || data.selection.classes !== undefined || others.length === 0) return data;
    const exceptClasses = [...(data.selection.exceptClasses ?? []), ...others];
    return { ...data, selection: { ...data.selection, exceptClasses } };
  }

  /** Adds the reported items of an earlier process. */
  private async restore(run: OpenRun, keep: ResolvedRunOptions['keep'], results: RunResults): Promise<void> {
    if (keep === 'none') {
      for await (const item of run.earlierItems()) results.addStored(item);
    } else {
      for await (const record of run.earlierRecords())
        results.restore(storedItem(record, this.parts.codecs), record);
    }
  }
}

/** @throws InvalidOptionError for a limit on durations that nothing comparable is measured for */
function checkTimeLimit(owner: string, gate: Gate | undefined, baseline: RunBaseline): void {
  const runsBeside = baseline === 'self' || (typeof baseline === 'object' && 'function' in baseline);
  if (gate?.p95Ms === undefined || runsBeside) return;
  throw new InvalidOptionError(
    `${owner}gate.p95Ms`,
    'limits durations, but the baseline did not run in this process, so durations cannot be compared',
    'Compare with baseline: { function: previousVersion }, or remove p95Ms.',
  );
}

function unknownKey(key: string, { similarKey }: OpenRun): string {
  const suggestion = similarKey === undefined ? '' : ` Did you mean ${JSON.stringify(similarKey)}?`;
  return `The account has no call with the key ${JSON.stringify(key)}.${suggestion} Check its spelling, and that its calls were recorded.`;
}

function whyShort(
  count: number,
  failure: { readonly error: unknown } | undefined,
  signal: AbortSignal | undefined,
): string {
  const calls = `${count} of the selected calls ${count === 1 ? 'was' : 'were'} not replayed`;
  if (failure !== undefined)
    return `${calls}: ${failure.error instanceof Error ? failure.error.message : String(failure.error)}`;
  return signal?.aborted === true
    ? `${calls}: the signal ended the run. Replay them with resume.`
    : `${calls}: the service did not return them.`;
}

function createHooks({ adaptArgs }: ResolvedRunOptions): ReplayHooks {
  return { needsSource: adaptArgs !== undefined, adapt: adaptArgs };
}
