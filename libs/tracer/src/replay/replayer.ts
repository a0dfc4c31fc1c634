import type { ErrorRecord, FieldMeta, JsonValue, RecordedCall, TestRunItemReport } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { Codec } from '../capture/codec.js';
import { revive } from '../capture/revive.js';
import { contextStorage } from '../context/context-storage.js';
import { InvalidOptionError } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';
import { drain } from './drain.js';
import { CallNotFoundError, CallNotReplayableError } from './errors.js';
import { recordedCalls } from './recorded-calls.js';
import type { ReplayItem, ReplayOptions, ReplayResult } from './replay-result.js';
import type { ReplayScope } from './replay-scope.js';
import { TestRunReporter } from './test-run-reporter.js';

const DEFAULT_CONCURRENCY = 10;

export type Replayable = (...args: unknown[]) => unknown;

export interface ReplayerParts {
  readonly service: ServiceClient;
  readonly capturer: Capturer;
  readonly codecs: readonly Codec[];
  readonly nowMs: () => number;
  /** Brings recorded calls to the service before they are selected, and new spans before the run is called finished. */
  readonly flush: () => Promise<unknown>;
  readonly onReportFailure: (error: unknown) => void;
}

/** Plays stored calls of a key again through a new version of their function (SPEC 4.2 `replay`). */
export class Replayer {
  constructor(private readonly parts: ReplayerParts) {}

  async replay(key: string, fn: Replayable, options: ReplayOptions = {}): Promise<ReplayResult> {
    const { service, onReportFailure } = this.parts;
    const limit = wholeNumber('limit', options.limit ?? Number.MAX_SAFE_INTEGER, 0);
    const concurrency = wholeNumber('maxConcurrency', options.maxConcurrency ?? DEFAULT_CONCURRENCY, 1);
    // Calls of a moment ago are stored calls too.
    await this.parts.flush();
    const run = await TestRunReporter.begin(
      service,
      { trace_function_key: key, ...(options.name !== undefined && { name: options.name }) },
      onReportFailure,
    );
    const items: ReplayItem[] = [];
    const calls = recordedCalls(service, { key, limit, traceIds: options.traceIds });
    const playing = new Set<Promise<void>>();
    const play = async (call: RecordedCall): Promise<void> => {
      const item: ReplayItem = { input: [], sourceTraceId: call.trace_id };
      const index = items.push(item) - 1;
      await this.replayCall(fn, call, run.run.id, item);
      run.add(this.reportOf(index, call, item));
    };
    try {
      for await (const call of calls) {
        const played = play(call)
          .catch(onReportFailure)
          .finally(() => playing.delete(played));
        playing.add(played);
        if (playing.size >= concurrency) await Promise.race(playing);
      }
    } catch (error) {
      await Promise.all(playing);
      await run.finish();
      throw error;
    }
    await Promise.all(playing);
    items.push(...missing(key, options.traceIds, items, limit));
    await this.parts.flush();
    await run.finish();
    return { testRunId: run.run.id, testRunUrl: run.run.url, items };
  }

  private async replayCall(
    fn: Replayable,
    call: RecordedCall,
    testRunId: string,
    item: ReplayItem,
  ): Promise<void> {
    item.sourceSpanId = call.span_id;
    item.sourceType = call.type;
    const scope: ReplayScope = { testRunId, sourceSpanId: call.span_id };
    const startedMs = this.parts.nowMs();
    try {
      const reviveInput = (): unknown => this.revive(structuredClone(call.input ?? []), call.meta?.input);
      item.input = reviveInput();
      if (call.output !== undefined) item.originalOutput = this.revive(call.output, call.meta?.output);
      if (call.meta?.replayable === false) throw new CallNotReplayableError(call.span_id);
      const frame = { trace: undefined, parentId: undefined, span: undefined, replay: scope };
      item.result = await contextStorage.run(frame, async () => drain(fn(...(reviveInput() as unknown[]))));
    } catch (error) {
      item.error = error;
    }
    item.durationMs = this.parts.nowMs() - startedMs;
    if (scope.started !== undefined) Object.assign(item, scope.started);
  }

  private reportOf(index: number, call: RecordedCall, item: ReplayItem): TestRunItemReport {
    const { capturer } = this.parts;
    const result = 'error' in item || item.result === undefined ? undefined : capturer.capture(item.result);
    return {
      item_no: index,
      source_trace_id: call.trace_id,
      source_span_id: call.span_id,
      ...(item.traceId !== undefined && { new_trace_id: item.traceId }),
      ...(item.spanId !== undefined && { new_span_id: item.spanId }),
      ...(result && { result: JSON.parse(result.json) as JsonValue }),
      ...('error' in item && { error: JSON.parse(capturer.captureError(item.error)) as ErrorRecord }),
      ...(item.durationMs !== undefined && { duration_ms: item.durationMs }),
      ...(result?.meta && { meta: { output: result.meta } }),
    };
  }

  private revive(json: JsonValue, meta: FieldMeta | undefined): unknown {
    return revive(json, meta, this.parts.codecs);
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
      input: undefined,
      sourceTraceId: traceId,
      error: new CallNotFoundError(traceId, key),
    }));
}

function wholeNumber(option: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new InvalidOptionError(
    `replay.${option}`,
    `must be a whole number from ${least} up, not ${String(value)}`,
    'Leave it out for the default.',
  );
}
