import { type Baseline, type BaselineScore, type TestRunRecord, type UsageRecord } from '@dacapo/protocol';
import { ReportFiles, type ReportFilesSettings } from '../../delivery/spool/report-files.js';
import { InvalidOptionError } from '../../errors.js';
import type { RunBaseline } from '../../options/run-options.js';
import { toSelection } from '../../options/selection-options.js';
import { ServiceResponseError } from '../../service/errors.js';
import type { ServiceClient } from '../../service/service-client.js';
import { ResumeRefusedError } from '../errors.js';
import { urlTarget } from '../network-guard.js';
import { ReportQueue } from '../test-run/report-queue.js';
import { TestRunReporter } from '../test-run/test-run-reporter.js';
import type { OpenRun, RunRequest, RunSource } from './run-source.js';
import { ServiceRun } from './service-run.js';

export interface ServiceRunSourceParts {
  readonly service: ServiceClient;
  readonly nowMs: () => number;
  /** Sends recorded spans: before calls are selected, and before a run ends. */
  readonly flush: (timeoutMs?: number) => Promise<unknown>;
  /** The files for waiting reports of a run; `undefined`: only memory. */
  readonly reportFiles: ReportFilesSettings | undefined;
  readonly onReportFailure: (error: unknown) => void;
}

/** The service selects the calls, and stores their results as a test run. */
export class ServiceRunSource implements RunSource {
  readonly target: string;

  constructor(private readonly parts: ServiceRunSourceParts) {
    this.target = urlTarget(parts.service.serviceUrl);
  }

  /** @throws immediately if the service does not answer, although the flush would wait for it */
  async open(request: RunRequest): Promise<OpenRun> {
    const { service, nowMs, reportFiles, onReportFailure: onFailure } = this.parts;
    const { data, resume } = request;
    const record = await (resume === undefined ? this.create(request) : this.resume(resume));
    checkRun(record, request);
    const waiting = { files: reportFiles && new ReportFiles(record.id, reportFiles), onFailure };
    const queue = resume === undefined ? ReportQueue.empty(waiting) : await ReportQueue.resume(waiting);
    const reporter = new TestRunReporter(record.id, { service, queue, nowMs, onFailure });
    return new ServiceRun(record, data, request, { ...this.parts, reporter });
  }

  async costs(usages: readonly UsageRecord[]): Promise<readonly (number | null)[]> {
    const { costs } = await this.parts.service.api();
    return (await costs.compute({ usages: [...usages] })).costs;
  }

  async baselineScores(hash: string): Promise<readonly BaselineScore[]> {
    const { testRuns } = await this.parts.service.api();
    return (await testRuns.baselineScores({ hash })).scores;
  }

  private async create({ data, key, name, repeat, baseline }: RunRequest): Promise<TestRunRecord> {
    const { service, flush } = this.parts;
    const { testRuns } = await service.api();
    await testRuns.list({ limit: 1 }).catch((error: unknown) => {
      if (!(error instanceof ServiceResponseError)) throw error;
    });
    // Calls that just ended must be selectable.
    await flush();
    return testRuns.create({
      trace_function_key: data.kind === 'calls' ? data.key : key,
      name,
      repeat: repeat > 1 ? repeat : undefined,
      baseline: toBaseline(baseline),
      ...(data.kind === 'run' && { rescore_of: data.testRunId }),
      ...(data.kind === 'dataset' && {
        dataset: { name: data.name, ...(data.version !== undefined && { version: data.version }) },
      }),
      ...(data.kind === 'calls' && { selection: toSelection(data.selection) }),
    });
  }

  /** @throws ResumeRefusedError */
  private async resume(id: string): Promise<TestRunRecord> {
    const { testRuns } = await this.parts.service.api();
    try {
      return await testRuns.resume({ id });
    } catch (error) {
      const status = error instanceof ServiceResponseError ? error.status : 0;
      if (status !== 404 && status !== 409) throw error;
      throw new ResumeRefusedError(id, { isFinished: status === 409 });
    }
  }
}

/** @throws InvalidOptionError when the run does not match the request */
function checkRun({ repeat = 1, dataset, rescore_of: source }: TestRunRecord, request: RunRequest): void {
  const { data } = request;
  if (data.kind === 'run' && source !== data.testRunId)
    throw new InvalidOptionError(
      'rescore',
      'is not supported by this service',
      "Upgrade the collector to the tracer's version.",
    );
  if (data.kind === 'run') return;
  if (source !== undefined)
    throw new InvalidOptionError(
      'resume',
      `names a run that scores the outcomes of the run ${source} and replays nothing`,
      'Rescore that run again.',
    );
  if (request.resume !== undefined && repeat !== request.repeat)
    throw new InvalidOptionError(
      'repeat',
      `is ${request.repeat}, but the run replays each item ${repeat === 1 ? 'once' : `${repeat} times`}`,
      `Resume it with repeat: ${repeat}, or start a new run.`,
    );
  if (request.data.kind === 'dataset' && dataset === undefined)
    throw new InvalidOptionError(
      'evaluate.data.dataset',
      'is not supported by this service',
      "Upgrade the collector to the tracer's version.",
    );
}

/** The baseline that the service resolves; `undefined` if it is the recording or runs here. */
function toBaseline(baseline: RunBaseline): Baseline | undefined {
  if (baseline === 'accepted') return baseline;
  return typeof baseline === 'object' && 'testRunId' in baseline
    ? { test_run_id: baseline.testRunId }
    : undefined;
}
