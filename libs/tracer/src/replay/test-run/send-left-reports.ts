import { join } from 'node:path';
import { orphanedReports, ReportFiles, type ReportFilesSettings } from '../../delivery/spool/report-files.js';
import { ServiceClient } from '../../service/service-client.js';
import { ReportQueue } from './report-queue.js';
import { TestRunReporter } from './test-run-reporter.js';

export interface LeftReports extends ReportFilesSettings {
  readonly spoolDir: string;
  /** The name of their spool folder. */
  readonly folder: string;
  readonly timeoutMs: number;
}

/** The result of sending reports of ended processes. */
export interface SentReports {
  readonly testRuns: number;
  readonly delivered: number;
  /** Messages of permanent refusals by the service. */
  readonly refused: readonly string[];
  /** How many still wait, now for the given key. */
  readonly waiting: number;
  /** Why they wait. */
  readonly failure: Error | undefined;
}

/** Sends the reports of ended processes in a spool folder, with the given key. */
export async function sendLeftReports({ folder, timeoutMs, ...settings }: LeftReports): Promise<SentReports> {
  const service = new ServiceClient({ ...settings, timeoutMs });
  const testRunIds = new Set<string>();
  for await (const { testRunId } of orphanedReports(join(settings.spoolDir, folder)))
    testRunIds.add(testRunId);
  let delivered = 0;
  let waiting = 0;
  let failure: Error | undefined;
  const refused: string[] = [];
  for (const testRunId of testRunIds) {
    const onFailure = (error: unknown): void => {
      failure ??= error instanceof Error ? error : new Error(String(error));
    };
    const files = new ReportFiles(testRunId, { ...settings, takeFrom: [folder] });
    const queue = await ReportQueue.resume({ files, onFailure });
    const reports = queue.size;
    const nowMs = (): number => performance.now();
    const reporter = new TestRunReporter(testRunId, { service, queue, nowMs, onFailure });
    await reporter.sendAll(nowMs() + timeoutMs);
    refused.push(
      ...reporter.refused.map(({ itemNo, detail }) => `item ${itemNo ?? '?'} of ${testRunId}: ${detail}`),
    );
    waiting += reporter.unreported;
    delivered += reports - reporter.unreported - reporter.refused.length;
  }
  return { testRuns: testRunIds.size, delivered, refused, waiting, failure };
}
