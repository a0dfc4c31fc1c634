import { nameEvaluators, readGate } from '@dacapo/evaluation';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from '../options/check-options.js';
import type { ReportFiles } from '../delivery/spool/report-files.js';
import { EVALUATE_OPTIONS, type EvaluateOptions } from '../options/evaluate-options.js';
import { REPLAY_OPTIONS, type RunOptions } from '../options/replay-options.js';
import type { ResolvedRunOptions } from '../options/run-options.js';
import { tracedKeyOf } from '../recording/traced-function.js';
import type { ServiceClient } from '../service/service-client.js';
import { CallCosts } from './call-costs.js';
import { readData } from './evaluation-data.js';
import { ItemEvaluators } from './evaluate-item.js';
import { Judge } from './judge-item.js';
import { MockPolicy } from './mock/mock-policy.js';
import { guardNetwork, targetOfUrl } from './network-guard.js';
import { ItemPlayer } from './play-item.js';
import type { PlannedItem } from './planned-item.js';
import type { Playing, Replayable } from './play-call.js';
import type { PlayHooks } from './play-hooks.js';
import type { ReplayResult } from './replay-result.js';
import { RunResults } from './run-results.js';
import { runSummaryOf } from './run-summary.js';
import { storedItem } from './stored-item.js';
import { type OpenedRun, openRun, type RunData, storedItems, storedRecords } from './test-run/open-run.js';
import { agreeOn } from './test-run/one-decision.js';
import { ReportQueue } from './test-run/report-queue.js';
import { TestRunReporter } from './test-run/test-run-reporter.js';

export interface ReplayerParts {
  /** The same function, recorded under the key. */
  readonly record: (key: string, fn: Replayable) => Replayable;
  readonly service: ServiceClient;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  /** Of an integration. */
  readonly hooks: PlayHooks | undefined;
  readonly nowMs: () => number;
  /** Brings recorded calls to the service before they are selected, and new spans before the run is called finished. */
  readonly flush: () => Promise<unknown>;
  readonly onReportFailure: (error: unknown) => void;
  /** Where reports of a run wait that memory should not hold; `undefined`: nowhere. */
  readonly reportFiles: (testRunId: string) => ReportFiles | undefined;
}

/** What is played, by which function, and how. */
interface RunPlan {
  readonly key: string;
  readonly given: Replayable;
  readonly data: RunData;
  readonly options: ResolvedRunOptions;
}

/** Where what becomes of the items goes. */
interface RunOutcome {
  readonly player: ItemPlayer;
  readonly results: RunResults;
  readonly reporter: TestRunReporter;
}

/** Plays items through a new version of their function: stored calls of a key (SPEC 4.2 `replay`), or what else there is. */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  /** @throws what keeps the run from starting: options that cannot work, a service that does not answer */
  async replay(key: string, given: Replayable, replayOptions: RunOptions = {}): Promise<ReplayResult> {
    // Refuses a key that is blank, and what is no function.
    this.parts.record(key, given);
    const options = resolveOptions('replay.', REPLAY_OPTIONS, replayOptions);
    return this.run({ key, given, options, data: { kind: 'calls', key, selection: options } });
  }

  /** @throws as `replay` */
  async evaluate(given: Replayable, evaluateOptions: EvaluateOptions): Promise<ReplayResult> {
    const options = resolveOptions('evaluate.', EVALUATE_OPTIONS, evaluateOptions);
    const data = readData(options.data, options);
    const ofData = data.kind === 'calls' ? data.key : undefined;
    const name = typeof given === 'function' ? (tracedKeyOf(given) ?? given.name) : 'evaluation';
    const key = options.key ?? ofData ?? name;
    if (key === '')
      throw new InvalidOptionError(
        'evaluate.key',
        'is missing, and the function has no name',
        "Write key: 'desk', say.",
      );
    return this.run({ key, given, options, data });
  }

  private async run({ key, given, data, options }: RunPlan): Promise<ReplayResult> {
    const recorded = this.parts.record(key, given);
    const isBare = tracedKeyOf(given) === undefined;
    const { service, nowMs, onReportFailure } = this.parts;
    const { repeat, timeoutMs, signal, name, resume } = options;
    const gate = options.gate && readGate(options.gate);
    const evaluators = options.evaluators && nameEvaluators(options.evaluators);
    const results = new RunResults({
      ...{ keep: options.keep, gate, title: name ?? key, repeat },
      measuresNoise: options.baseline === 'self',
    });
    const judge = new Judge({ ...this.parts, same: options.same, ignore: options.ignore });
    const run = await openRun(this.ofOwnClass(data), {
      ...{ ...this.parts, key, name, resume, repeat, timeoutMs, signal },
      baseline: options.baseline,
    });
    options.onStart?.({
      testRunId: run.id,
      testRunUrl: run.url,
      items: run.itemCount,
      playedBefore: run.playedBefore,
    });
    const unguard = options.network === 'deny' ? await guardNetwork() : undefined;
    const waiting = { files: this.parts.reportFiles(run.id), onFailure: onReportFailure };
    const reporter = new TestRunReporter(run.id, {
      ...{ service, nowMs, timeoutMs, onFailure: onReportFailure },
      queue: resume === undefined ? ReportQueue.empty(waiting) : await ReportQueue.resume(waiting),
    });
    const costs = new CallCosts(service);
    const playing: Playing = {
      ...this.parts,
      hooks: this.parts.hooks ?? hooksOf(options),
      key,
      fn: isBare ? recorded : given,
      isBare,
      testRunId: run.id,
      costs,
      options,
      policy: new MockPolicy(options.mock, options.onMockMiss, options.live),
      serviceTarget: targetOfUrl(service.serviceUrl),
      ran: results.ran,
      unwrapped: results.unwrapped,
    };
    const player = new ItemPlayer({
      ...{ playing, judge, capturer: this.parts.capturer, baseline: run.baseline },
      evaluators: evaluators && new ItemEvaluators(evaluators, { testRunId: run.id, timeoutMs, signal }),
    });
    let failure: { readonly error: unknown } | undefined;
    try {
      // What an earlier process could not tell is not played again.
      await reporter.caughtUp();
      if (resume !== undefined) await this.restore(run.id, options.keep, results);
      await this.playAll(playing, run, { player, results, reporter });
    } catch (error) {
      failure = { error };
    } finally {
      unguard?.();
    }
    if (run.isUnknownKey) results.warnings.push(unknownKey(data.kind === 'calls' ? data.key : key, run));
    if (costs.problem !== undefined) results.warnings.push(`Costs are not known: ${costs.problem}`);
    results.skip(run.skipped);
    const missing = Math.max(0, run.itemCount * repeat - results.count);
    if (missing > 0) results.miss(missing, whyShort(missing, failure, signal));
    await this.parts.flush();
    await reporter.sendAll();
    for (const warning of reporter.warnings()) results.miss(...warning);
    const isShort = missing > 0 || reporter.unreported > 0;
    const status = isShort ? 'interrupted' : 'finished';
    const totals = reporter.refused.length > 0 ? undefined : await reporter.counts();
    const result = results.result(
      { testRunId: run.id, testRunUrl: run.url, status },
      totals && { totals, expected: run.itemCount * repeat },
    );
    const told = await reporter.finish({
      status,
      ...(run.isListed && { expected_items: run.itemCount }),
      ...(reporter.refused.length > 0 && { skipped: { refused: reporter.refused.length } }),
      summary: runSummaryOf(result, gate),
    });
    if (reporter.unreported === 0) agreeOn(result, told);
    if (failure !== undefined && results.count === 0) throw failure.error;
    return result;
  }

  /** Calls of other classes that share the key are none of the method's own, unless the caller says which are meant. */
  private ofOwnClass(data: RunData): RunData {
    const { exceptClasses: others = [] } = this.parts.hooks ?? {};
    if (data.kind !== 'calls' || data.selection.classes !== undefined) return data;
    const exceptClasses = [...(data.selection.exceptClasses ?? []), ...others];
    return { ...data, selection: { ...data.selection, exceptClasses } };
  }

  /** What the run has heard of its items so far, as far as it is kept. */
  private async restore(runId: string, keep: ResolvedRunOptions['keep'], results: RunResults): Promise<void> {
    const { service, codecs } = this.parts;
    if (keep === 'none') {
      for await (const item of storedItems(service, runId)) results.addStored(item);
    } else {
      for await (const record of storedRecords(service, runId)) results.restore(storedItem(record, codecs));
    }
  }

  /** @throws what kept further items from being had; what was begun has ended by then */
  private async playAll(playing: Playing, run: OpenedRun, outcome: RunOutcome): Promise<void> {
    const { results } = outcome;
    const { maxConcurrency, signal, repeat } = playing.options;
    const underWay = new Set<Promise<unknown>>();
    try {
      const items = run.items();
      for (;;) {
        const next = await unlessAborted(items.next(), signal);
        if (next === undefined || next.done === true) return;
        for (let repetition = 0; repetition < repeat; repetition++) {
          if (results.isStored(next.value.itemNo, repetition)) continue;
          const played = this.play(playing, next.value, repetition, outcome)
            .catch(this.parts.onReportFailure)
            .finally(() => underWay.delete(played));
          underWay.add(played);
          if (underWay.size >= maxConcurrency) await unlessAborted(Promise.race(underWay), signal);
          if (signal?.aborted === true) return;
        }
      }
    } finally {
      await Promise.all(underWay);
    }
  }

  private async play(
    { options }: Playing,
    planned: PlannedItem,
    repetition: number,
    { player, results, reporter }: RunOutcome,
  ): Promise<void> {
    const judged = await player.play(planned, repetition);
    if (judged === undefined) return;
    reporter.add(judged.report);
    results.add(judged.item);
    options.onItem?.(judged.item);
  }
}

function unknownKey(key: string, { similarKey }: OpenedRun): string {
  const meant = similarKey === undefined ? '' : ` Did you mean ${JSON.stringify(similarKey)}?`;
  return `The account has no call of the key ${JSON.stringify(key)}.${meant} Check how it is written, and that its calls were recorded.`;
}

function whyShort(
  count: number,
  failure: { readonly error: unknown } | undefined,
  signal: AbortSignal | undefined,
): string {
  const calls = `${count} of the selected calls ${count === 1 ? 'was' : 'were'} not played`;
  if (failure !== undefined)
    return `${calls}: ${failure.error instanceof Error ? failure.error.message : String(failure.error)}`;
  return signal?.aborted === true
    ? `${calls}: the signal ended the run. Play them with resume.`
    : `${calls}: the service did not give them.`;
}

function hooksOf({ adaptArgs }: ResolvedRunOptions): PlayHooks {
  return { needsSource: adaptArgs !== undefined, adapt: adaptArgs };
}

/**
 * What `work` gives, or `undefined` once the run is to end. A race with one promise that lasts as long as the run would
 * hold what every race gave until the end.
 */
function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  const given = Promise.resolve(work);
  if (signal === undefined) return given;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      resolve(undefined);
    };
    const settled = (): void => {
      signal.removeEventListener('abort', abort);
    };
    given.then(resolve, reject).finally(settled);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}
