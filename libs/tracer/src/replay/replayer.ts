import { readGate } from '@dacapo/evaluation';
import type { SelectedCall, TestRunRecord } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { resolveOptions } from '../options/check-options.js';
import type { DeliveryOptions } from '../options/delivery-options.js';
import { REPLAY_OPTIONS, type ResolvedReplayOptions, type RunOptions } from '../options/replay-options.js';
import { tracedKeyOf } from '../recording/traced-function.js';
import type { ServiceClient } from '../service/service-client.js';
import { CallNotFoundError } from './errors.js';
import { reportOf } from './item-report.js';
import { Judge } from './judge-item.js';
import { guardNetwork } from './network-guard.js';
import { playCall, type Playing, type Replayable } from './play-call.js';
import type { PlayHooks } from './play-hooks.js';
import type { ReplayItem, ReplayResult } from './replay-result.js';
import { RunResults } from './run-results.js';
import { openRun, storedItems } from './test-run/open-run.js';
import { reportFileOf, ReportQueue } from './test-run/report-queue.js';
import { selectedCalls } from './test-run/selected-calls.js';
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
  readonly delivery: DeliveryOptions;
}

/** Where what becomes of the calls goes. */
interface RunOutcome {
  readonly judge: Judge;
  readonly results: RunResults;
  readonly reporter: TestRunReporter;
}

/** Plays stored calls of a key again through a new version of their function (SPEC 4.2 `replay`). */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  /** @throws what keeps the run from starting: options that cannot work, a service that does not answer */
  async replay(key: string, given: Replayable, replayOptions: RunOptions = {}): Promise<ReplayResult> {
    // Refuses a key that is blank, and what is no function.
    const recorded = this.parts.record(key, given);
    const isBare = tracedKeyOf(given) === undefined;
    const options = resolveOptions('replay.', REPLAY_OPTIONS, replayOptions);
    const { service, nowMs, onReportFailure } = this.parts;
    const gate = options.gate && readGate(options.gate);
    const results = new RunResults({ keep: options.keep, gate, title: options.name ?? key });
    const judge = new Judge({ ...this.parts, same: options.same, ignore: options.ignore });
    const run = await openRun(key, options, {
      ...this.parts,
      isFiltered: this.parts.hooks?.accepts !== undefined,
    });
    options.onStart?.({
      testRunId: run.id,
      testRunUrl: run.url,
      items: run.selection?.items ?? 0,
      playedBefore: options.resume === undefined ? 0 : run.totals.items,
    });
    const unguard = options.network === 'deny' ? await guardNetwork() : undefined;
    const reporter = new TestRunReporter(run.id, {
      service,
      nowMs,
      timeoutMs: options.timeoutMs,
      queue: new ReportQueue(reportFileOf(run.id, this.parts.delivery)),
      onFailure: onReportFailure,
    });
    const playing: Playing = {
      ...this.parts,
      hooks: this.parts.hooks ?? hooksOf(options),
      key,
      fn: isBare ? recorded : given,
      isBare,
      testRunId: run.id,
      options,
      ran: results.ran,
    };
    let failure: { readonly error: unknown } | undefined;
    let isShort = false;
    try {
      // What an earlier process could not tell is not played again.
      await reporter.caughtUp();
      if (options.resume !== undefined)
        for await (const item of storedItems(service, run.id)) results.addStored(item);
      await this.playAll(playing, run, { judge, results, reporter });
    } catch (error) {
      failure = { error };
    } finally {
      unguard?.();
    }
    const { items: selected = 0, skipped = {}, unknown_key } = run.selection ?? {};
    if (unknown_key)
      results.warnings.push(
        `The account has no call of the key ${JSON.stringify(key)}. Check how it is written, and that its calls were recorded.`,
      );
    results.skip(skipped);
    isShort = results.count < selected;
    if (isShort)
      results.miss(selected - results.count, this.whyShort(selected - results.count, failure, options));
    await this.parts.flush();
    await reporter.finish((unreported) => ({
      status: isShort || unreported > 0 ? 'interrupted' : 'finished',
      ...((reporter.refused.length > 0 || results.leftOut.size > 0) && {
        skipped: {
          ...Object.fromEntries(results.leftOut),
          ...(reporter.refused.length > 0 && { refused: reporter.refused.length }),
        },
      }),
    }));
    for (const warning of reporter.warnings()) results.miss(...warning);
    if (failure !== undefined && results.count === 0) throw failure.error;
    return results.result({
      testRunId: run.id,
      testRunUrl: run.url,
      status: isShort || reporter.unreported > 0 ? 'interrupted' : 'finished',
    });
  }

  /** @throws what kept further calls from being had; what was begun has ended by then */
  private async playAll(playing: Playing, run: TestRunRecord, outcome: RunOutcome): Promise<void> {
    const { results } = outcome;
    const { service, nowMs, onReportFailure } = this.parts;
    const { maxConcurrency, timeoutMs, signal, resume, limit } = playing.options;
    const { accepts } = playing.hooks;
    let accepted = 0;
    const { promise: aborted, stop } = abortOf(signal);
    const underWay = new Set<Promise<unknown>>();
    try {
      const calls = selectedCalls(run.id, resume !== undefined, { service, nowMs, timeoutMs, signal });
      for (;;) {
        const next = await Promise.race([calls.next(), aborted]);
        if (next === undefined || next.done === true) return;
        const { call } = next.value;
        if (call !== undefined && accepts?.(call) === false) {
          results.leaveOut('other_class');
          continue;
        }
        if (accepts !== undefined && accepted++ >= limit) {
          results.leaveOut('beyond_limit');
          continue;
        }
        const played = this.play(playing, next.value, outcome)
          .catch(onReportFailure)
          .finally(() => underWay.delete(played));
        underWay.add(played);
        if (underWay.size >= maxConcurrency) await Promise.race([...underWay, aborted]);
        if (signal?.aborted === true) return;
      }
    } finally {
      stop();
      await Promise.all(underWay);
    }
  }

  private async play(
    playing: Playing,
    { item_no, trace_id = '', call }: SelectedCall,
    { judge, results, reporter }: RunOutcome,
  ): Promise<void> {
    const { same, ignore, onItem } = playing.options;
    const item: ReplayItem = {
      itemNo: item_no,
      input: [],
      verdict: 'error',
      divergences: [],
      scores: [],
      sourceTraceId: trace_id,
    };
    const { outcome, definition } =
      call === undefined
        ? {
            outcome: { error: (item.error = new CallNotFoundError(trace_id, playing.key)) },
            definition: undefined,
          }
        : await playCall(playing, call, item);
    let recorded = judge.record(outcome, definition);
    if (call !== undefined) {
      try {
        Object.assign(item, judge.judge(call, recorded, { now: item.result, before: item.originalOutput }));
      } catch (error) {
        item.error = error;
        recorded = judge.record({ error }, definition);
      }
    }
    const comparedBy = { ...(same && { same: true as const }), ...(ignore && { ignore: [...ignore] }) };
    reporter.add(reportOf(item, recorded, Object.keys(comparedBy).length === 0 ? undefined : comparedBy));
    results.add(item);
    onItem?.(item);
  }

  private whyShort(
    count: number,
    failure: { readonly error: unknown } | undefined,
    { signal }: ResolvedReplayOptions,
  ): string {
    const calls = `${count} of the selected calls ${count === 1 ? 'was' : 'were'} not played`;
    if (failure !== undefined)
      return `${calls}: ${failure.error instanceof Error ? failure.error.message : String(failure.error)}`;
    return signal?.aborted === true
      ? `${calls}: the signal ended the run. Play them with resume.`
      : `${calls}: the service did not give them.`;
  }
}

function hooksOf({ adaptArgs }: ResolvedReplayOptions): PlayHooks {
  return { needsSource: adaptArgs !== undefined, adapt: adaptArgs };
}

function abortOf(signal: AbortSignal | undefined): { promise: Promise<undefined>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    const abort = (): void => {
      resolve(undefined);
    };
    stop = () => {
      signal?.removeEventListener('abort', abort);
      resolve(undefined);
    };
    if (signal?.aborted === true) resolve(undefined);
    else signal?.addEventListener('abort', abort);
  });
  return { promise, stop };
}
