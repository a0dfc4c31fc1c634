import type { RecordedCall } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { resolveOptions } from '../options/check-options.js';
import { REPLAY_OPTIONS, type ReplayOptions } from '../options/replay-options.js';
import { tracedKeyOf } from '../recording/traced-function.js';
import type { ServiceClient } from '../service/service-client.js';
import { CallNotFoundError } from './errors.js';
import { reportOf } from './item-report.js';
import { guardNetwork } from './network-guard.js';
import { playCall, type Replayable } from './play-call.js';
import { recordedCalls } from './recorded-calls.js';
import type { PlayHooks } from './play-hooks.js';
import type { ReplayItem, ReplayResult } from './replay-result.js';
import { TestRunReporter } from './test-run-reporter.js';

export interface ReplayerParts {
  /** The same function, recorded under the key. */
  readonly record: (key: string, fn: Replayable) => Replayable;
  readonly service: ServiceClient;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  readonly hooks: PlayHooks;
  readonly nowMs: () => number;
  /** Brings recorded calls to the service before they are selected, and new spans before the run is called finished. */
  readonly flush: () => Promise<unknown>;
  readonly onReportFailure: (error: unknown) => void;
}

/** Plays stored calls of a key again through a new version of their function (SPEC 4.2 `replay`). */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  async replay(key: string, given: Replayable, replayOptions: ReplayOptions = {}): Promise<ReplayResult> {
    const { service, capturer, onReportFailure } = this.parts;
    // Refuses a key that is blank, and what is no function.
    const recorded = this.parts.record(key, given);
    const isBare = tracedKeyOf(given) === undefined;
    const fn = isBare ? recorded : given;
    const options = resolveOptions('replay.', REPLAY_OPTIONS, replayOptions);
    const { limit, traceIds, maxConcurrency, name } = options;
    // First of all: where the service does not answer, this says so, while the flush would wait for it.
    const run = await TestRunReporter.begin(
      service,
      { trace_function_key: key, ...(name !== undefined && { name }) },
      onReportFailure,
    );
    const { accepts } = this.parts.hooks;
    const items: ReplayItem[] = [];
    const ran = new Map<string, number>();
    const unguard = options.network === 'deny' ? await guardNetwork() : undefined;
    const playing = new Set<Promise<void>>();
    const play = async (call: RecordedCall): Promise<void> => {
      const item: ReplayItem = { input: [], sourceTraceId: call.trace_id };
      const index = items.push(item) - 1;
      await playCall({ ...this.parts, key, fn, isBare, testRunId: run.run.id, options, ran }, call, item);
      run.add(reportOf(capturer, index, item));
    };
    try {
      // Calls of a moment ago are stored calls too.
      await this.parts.flush();
      for await (const call of recordedCalls(service, { key, limit, traceIds, accepts })) {
        const played = play(call)
          .catch(onReportFailure)
          .finally(() => playing.delete(played));
        playing.add(played);
        if (playing.size >= maxConcurrency) await Promise.race(playing);
      }
    } catch (error) {
      await Promise.all(playing);
      await run.finish();
      throw error;
    } finally {
      await Promise.all(playing);
      unguard?.();
    }
    for (const item of missing(key, traceIds, items, limit)) {
      run.add(reportOf(capturer, items.push(item) - 1, item));
    }
    await this.parts.flush();
    await run.finish();
    return { testRunId: run.run.id, testRunUrl: run.run.url, items, ranLive: Object.fromEntries(ran) };
  }
}

/** A trace that was asked for and not found is an item too: nothing asked for is passed over in silence. */
function missing(
  key: string,
  traceIds: readonly string[] | undefined,
  items: readonly ReplayItem[],
  limit: number,
): ReplayItem[] {
  if (traceIds === undefined) return [];
  const found = new Set(items.map(({ sourceTraceId }) => sourceTraceId));
  return [...new Set(traceIds)]
    .filter((traceId) => !found.has(traceId))
    .slice(0, Math.max(0, limit - items.length))
    .map((traceId) => ({
      input: [],
      sourceTraceId: traceId,
      error: new CallNotFoundError(traceId, key),
    }));
}
