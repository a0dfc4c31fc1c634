import type { TracerAssembly } from './assembly.js';
import { withFileCodecs } from './capture/types/files.js';
import { TracerError, TracingDisabledError } from './errors.js';
import type { EvaluateOptions } from './options/evaluate-options.js';
import type { RunOptions } from './options/replay-options.js';
import type { RescoreOptions } from './options/rescore-options.js';
import type { TracerOptions } from './options/tracer-options.js';
import { RecordingError } from './recording/errors.js';
import type { Replayable } from './replay/replay-call.js';
import {
  MASKED_ITEMS,
  type MaskedItemsOption,
  REPLAY_HOOKS,
  type ReplayHooksOption,
} from './replay/replay-hooks.js';
import type { ReplayResult } from './replay-types.js';
import { Replayer } from './replay/replayer.js';
import { MemoryRunSource } from './replay/source/memory-run-source.js';
import type { RunSource } from './replay/source/run-source.js';
import { ServiceRunSource } from './replay/source/service-run-source.js';
import type { ServiceClient } from './service/service-client.js';

export interface TestRunsParts {
  /** Whether `record` records. */
  readonly isRecorded: boolean;
  /** Wraps the function with the key. */
  readonly record: (traceFunctionKey: string, fn: Replayable) => Replayable;
  readonly flush: (timeoutMs: number) => Promise<unknown>;
  readonly assembly: TracerAssembly;
  readonly options: TracerOptions;
  /** @throws TracingDisabledError without a key */
  readonly serviceFor: (operation: string) => Promise<ServiceClient>;
}

/** Runs the replays, evaluations and rescores of a tracer. An application that only records never loads it. */
export class TestRuns {
  constructor(private readonly parts: TestRunsParts) {}

  async replay(traceFunctionKey: string, fn: Replayable, options: RunOptions): Promise<ReplayResult> {
    const replayer = this.createReplayer(await this.storedIn('Replay'), options);
    return replayer.replay(traceFunctionKey, fn, options);
  }

  async evaluate(fn: Replayable, options: EvaluateOptions): Promise<ReplayResult> {
    const { isRecorded } = this.parts;
    if (!isRecorded && !Array.isArray(options.data)) throw new TracingDisabledError('Evaluation');
    const source = isRecorded ? await this.storedIn('Evaluation') : new MemoryRunSource();
    return this.createReplayer(source, options).evaluate(fn, options);
  }

  async rescore(testRunId: string, options: RescoreOptions): Promise<ReplayResult> {
    const replayer = this.createReplayer(await this.storedIn('Rescore'), options);
    return replayer.rescore(testRunId, options);
  }

  private createReplayer(source: RunSource, options: object): Replayer {
    const { record, isRecorded, assembly, options: tracerOptions } = this.parts;
    return new Replayer({
      record,
      isRecorded,
      source,
      capturer: assembly.capturer,
      codecs: withFileCodecs(tracerOptions.capture?.codecs),
      hooks: (options as ReplayHooksOption)[REPLAY_HOOKS],
      onMaskedItem: (options as MaskedItemsOption)[MASKED_ITEMS],
      nowMs,
      onReportFailure: this.reportFailure,
    });
  }

  private async storedIn(operation: string): Promise<RunSource> {
    const { flush, assembly, options, serviceFor } = this.parts;
    const { serviceUrl, apiKey, timeoutMs: defaultTimeoutMs } = assembly.resolved;
    const { spool, spoolDir, previousKeys } = options.delivery ?? {};
    return new ServiceRunSource({
      service: await serviceFor(operation),
      nowMs,
      flush: (timeoutMs = defaultTimeoutMs) => flush(timeoutMs),
      reportFiles: spool === false ? undefined : { serviceUrl, apiKey, spoolDir, previousKeys },
      onReportFailure: this.reportFailure,
    });
  }

  private readonly reportFailure = (cause: unknown): void => {
    const error = cause instanceof TracerError ? cause : new RecordingError('reporting a test run', cause);
    this.parts.assembly.reporter.report(error);
  };
}

const nowMs = (): number => performance.now();
