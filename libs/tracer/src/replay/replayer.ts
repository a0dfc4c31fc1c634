import { type Gate, nameEvaluators, readGate } from '@dacapo/evaluation';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { InvalidOptionError } from '../errors.js';
import { resolveOptions } from '../options/check-options.js';
import { EVALUATE_OPTIONS, type EvaluateOptions } from '../options/evaluate-options.js';
import { REPLAY_OPTIONS, type RunOptions } from '../options/replay-options.js';
import type { ResolvedRunOptions, RunBaseline } from '../options/run-options.js';
import { tracedKeyOf } from '../recording/traced-function.js';
import { CallCosts } from './call-costs.js';
import { readData } from './evaluation-data.js';
import { ItemEvaluators } from './evaluate-item.js';
import { Judge } from './judge-item.js';
import { MockPolicy } from './mock/mock-policy.js';
import { guardNetwork } from './network-guard.js';
import { agreeOn } from './one-decision.js';
import { OtherVersion, WARM_UP_ITEMS } from './other-version.js';
import { ItemPlayer } from './play-item.js';
import type { PlannedItem } from './planned-item.js';
import type { Playing, Replayable } from './play-call.js';
import type { PlayHooks } from './play-hooks.js';
import type { ReplayResult } from './replay-result.js';
import { RunResults } from './run-results.js';
import { runSummaryOf } from './run-summary.js';
import { storedItem } from './stored-item.js';
import type { OpenRun, RunData, RunSource } from './source/run-source.js';

export interface ReplayerParts {
  /** The same function, recorded under the key. */
  readonly record: (key: string, fn: Replayable) => Replayable;
  /** Whether `record` records: without, nothing is known of what was called inside. */
  readonly isRecorded: boolean;
  readonly source: RunSource;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  /** Of an integration. */
  readonly hooks: PlayHooks | undefined;
  readonly nowMs: () => number;
  /** Called with what a caller's `onItem` throws. */
  readonly onReportFailure: (error: unknown) => void;
}

/** What is played, by which function, and how. */
interface RunPlan {
  /** What errors call an option before its name, such as `replay.`. */
  readonly owner: string;
  readonly key: string;
  readonly given: Replayable;
  readonly data: RunData;
  readonly options: ResolvedRunOptions;
}

/** Where what becomes of the items goes. */
interface RunOutcome {
  readonly player: ItemPlayer;
  readonly results: RunResults;
  readonly run: OpenRun;
}

/** Plays items through a new version of their function: stored calls of a key (SPEC 4.2 `replay`), or what else there is. */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  /** @throws what keeps the run from starting: options that cannot work, a service that does not answer */
  async replay(key: string, given: Replayable, replayOptions: RunOptions = {}): Promise<ReplayResult> {
    // Refuses a key that is blank, and what is no function.
    this.parts.record(key, given);
    const options = resolveOptions('replay.', REPLAY_OPTIONS, replayOptions);
    const owner = 'replay.';
    return this.run({ owner, key, given, options, data: { kind: 'calls', key, selection: options } });
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
    return this.run({ owner: 'evaluate.', key, given, options, data });
  }

  private async run({ owner, key, given, data, options }: RunPlan): Promise<ReplayResult> {
    const replayed = this.replayed(key, given);
    const { source, codecs, nowMs, isRecorded } = this.parts;
    const { repeat, timeoutMs, signal, name, resume } = options;
    const gate = options.gate && readGate(options.gate);
    const evaluators = options.evaluators && nameEvaluators(options.evaluators);
    checkTimeLimit(owner, gate, options.baseline);
    const results = new RunResults({
      ...{ keep: options.keep, gate, title: name ?? key, repeat },
      measuresNoise: options.baseline === 'self',
    });
    const judge = new Judge({ ...this.parts, same: options.same, ignore: options.ignore });
    const run = await source.open({
      ...{ key, name, resume, repeat, timeoutMs, signal, baseline: options.baseline },
      data: this.ofOwnClass(data),
    });
    const costs = new CallCosts(source);
    const playing: Playing = {
      ...{ key, isRecorded, costs, options, codecs, nowMs },
      ...replayed,
      hooks: this.parts.hooks ?? hooksOf(options),
      testRunId: run.id,
      policy: new MockPolicy(options.mock, options.onMockMiss, options.live),
      sourceTarget: source.target,
      ran: results.ran,
      unwrapped: results.unwrapped,
    };
    const player = new ItemPlayer({
      ...{ playing, judge, capturer: this.parts.capturer, baseline: run.baseline },
      other: this.otherVersion(playing, judge),
      evaluators: evaluators && new ItemEvaluators(evaluators, { testRunId: run.id, timeoutMs, signal }),
    });
    let failure: { readonly error: unknown } | undefined;
    let unguard: (() => void) | undefined;
    try {
      options.onStart?.({
        testRunId: run.id,
        testRunUrl: run.url,
        items: run.itemCount,
        playings: run.itemCount * repeat,
        playedBefore: run.playedBefore,
      });
      if (options.network === 'deny') unguard = await guardNetwork();
      if (resume !== undefined) await this.restore(run, options.keep, results);
      await this.playAll(playing, { player, results, run });
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
    // The source gets one deadline for all that is left to do.
    const deadlineMs = nowMs() + timeoutMs;
    const { totals, lost, unreported } = await run.settle(deadlineMs);
    for (const [count, warning] of lost) results.lose(count, warning);
    const status = missing > 0 || unreported > 0 ? 'interrupted' : 'finished';
    const result = results.result(
      { testRunId: run.id, testRunUrl: run.url, status },
      totals && { totals, expected: run.itemCount * repeat },
    );
    const confirmed = await run.finish({ status, summary: runSummaryOf(result, options) }, deadlineMs);
    if (unreported === 0) agreeOn(result, confirmed);
    if (failure !== undefined && results.count === 0) throw failure.error;
    return result;
  }

  /** The function as it is called, recorded under the key. @throws InvalidOptionError */
  private replayed(key: string, fn: Replayable): Pick<Playing, 'fn' | 'isBare'> {
    const isBare = tracedKeyOf(fn) === undefined;
    return { fn: isBare ? this.parts.record(key, fn) : fn, isBare };
  }

  private otherVersion(playing: Playing, judge: Judge): OtherVersion | undefined {
    const { baseline } = playing.options;
    if (baseline === 'self') return new OtherVersion('self', playing, judge);
    if (typeof baseline !== 'object' || !('function' in baseline)) return undefined;
    const fn = this.replayed(playing.key, baseline.function as Replayable);
    return new OtherVersion('function', { ...playing, ...fn }, judge);
  }

  /** Calls of other classes that share the key are none of the method's own, unless the caller says which are meant. */
  private ofOwnClass(data: RunData): RunData {
    const { exceptClasses: others = [] } = this.parts.hooks ?? {};
    if (data.kind !== 'calls' || data.selection.classes !== undefined) return data;
    const exceptClasses = [...(data.selection.exceptClasses ?? []), ...others];
    return { ...data, selection: { ...data.selection, exceptClasses } };
  }

  /** Adds what an earlier process reported, as far as it is kept. */
  private async restore(run: OpenRun, keep: ResolvedRunOptions['keep'], results: RunResults): Promise<void> {
    if (keep === 'none') {
      for await (const item of run.earlierItems()) results.addStored(item);
    } else {
      for await (const record of run.earlierRecords()) results.restore(storedItem(record, this.parts.codecs));
    }
  }

  /** @throws what kept further items from being had; what was begun has ended by then */
  private async playAll(playing: Playing, outcome: RunOutcome): Promise<void> {
    const { results, run } = outcome;
    const { maxConcurrency, signal, repeat } = playing.options;
    const underWay = new Set<Promise<unknown>>();
    try {
      const items = warmsUp(playing.options) ? this.warmedUp(playing, outcome) : run.calls();
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

  /** The items of the run. Before the first one, both versions replay those that are to be played first, uncounted. */
  private async *warmedUp(
    { options: { repeat, signal } }: Playing,
    { player, results, run }: RunOutcome,
  ): AsyncGenerator<PlannedItem> {
    const items = run.calls();
    const first: PlannedItem[] = [];
    while (first.length < WARM_UP_ITEMS) {
      const next = await items.next();
      if (next.done === true) break;
      const { itemNo } = next.value;
      const isLeft = Array.from({ length: repeat }, (_, repetition) =>
        results.isStored(itemNo, repetition),
      ).includes(false);
      if (isLeft) first.push(next.value);
    }
    for (const planned of first) if (signal?.aborted !== true) await player.warmUp(planned);
    yield* first;
    for (let next = await items.next(); next.done !== true; next = await items.next()) yield next.value;
  }

  private async play(
    { options }: Playing,
    planned: PlannedItem,
    repetition: number,
    { player, results, run }: RunOutcome,
  ): Promise<void> {
    const judged = await player.play(planned, repetition);
    if (judged === undefined) return;
    run.report(judged.report);
    results.add(judged.item, judged.facts);
    options.onItem?.(judged.item);
  }
}

/** Both versions run here, and how long they take is compared. */
function warmsUp({ baseline, gate }: ResolvedRunOptions): boolean {
  if (baseline === 'self') return gate?.p95Ms !== undefined;
  return typeof baseline === 'object' && 'function' in baseline;
}

/** @throws InvalidOptionError for a limit on durations that nothing comparable is measured for */
function checkTimeLimit(owner: string, gate: Gate | undefined, baseline: RunBaseline): void {
  const runsBeside = baseline === 'self' || (typeof baseline === 'object' && 'function' in baseline);
  if (gate?.p95Ms === undefined || runsBeside) return;
  throw new InvalidOptionError(
    `${owner}gate.p95Ms`,
    'limits durations, and the baseline did not run beside this run: its durations cannot be compared',
    'Compare with baseline: { function: previousVersion }, or leave p95Ms out.',
  );
}

function unknownKey(key: string, { similarKey }: OpenRun): string {
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
