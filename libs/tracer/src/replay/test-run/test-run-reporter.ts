import {
  type FinishTestRunRequest,
  LIMITS,
  type ReportTestRunItemsAnswer,
  type TestRunItemReport,
  type TestRunRecord,
  type TestRunTotals,
} from '@dacapo/protocol';
import { ServiceResponseError } from '../../service/errors.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { ReportQueue } from './report-queue.js';
import { delayAfter, isAway, retryWhileAway } from './retry-while-away.js';

/** Delay before an item is reported together with those that end meanwhile. */
const INTERVAL_MS = 250;
const BYTES_A_REQUEST = 4 * 1024 * 1024;

/** Statuses of invalid reports. Other refusals (a key, an unknown run) may be temporary. */
const WRONG: ReadonlySet<number> = new Set([400, 413, 422]);
/** The run is finished: no further items are accepted. */
const FINISHED = 409;

export interface ReporterParts {
  readonly service: ServiceClient;
  readonly queue: ReportQueue;
  readonly nowMs: () => number;
  /** Called once per cause. */
  readonly onFailure: (error: unknown) => void;
}

/** An item that the service rejected. */
export interface RefusedItem {
  readonly itemNo: number | undefined;
  readonly detail: string;
}

/**
 * Reports a test run's items to the service in batches soon after they end, and sends heartbeats. While the service
 * is away, reports wait. Refused items are skipped and noted.
 */
export class TestRunReporter {
  readonly refused: RefusedItem[] = [];

  /** Number of unreported items; known after the end of the run. */
  unreported = 0;

  private timer: NodeJS.Timeout | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private sending: Promise<void> | undefined;
  private failures = 0;
  /** Whether the last answer was a permanent refusal. */
  private isDenied = false;
  private lastHeartbeatMs: number;
  /** After the end of the run, the deadline for sending. */
  private endsAtMs = Infinity;
  /** Aborts pending reports and heartbeats when sending stops. */
  private readonly over = new AbortController();
  private readonly service: ServiceClient;

  constructor(
    private readonly runId: string,
    private readonly parts: ReporterParts,
  ) {
    this.lastHeartbeatMs = parts.nowMs();
    this.service = parts.service.until(this.over.signal);
    this.heartbeat = setInterval(() => {
      parts.queue.touch();
      this.sendHeartbeat();
    }, LIMITS.heartbeatMs).unref();
    if (!parts.queue.isEmpty) this.sendIn(0);
  }

  add(item: TestRunItemReport): void {
    this.parts.queue.push(JSON.stringify(item));
    this.sendIn(INTERVAL_MS);
  }

  /** Resolves when earlier waiting reports were sent or failed. */
  async caughtUp(): Promise<void> {
    await this.sending;
  }

  /** Sends waiting reports, until `deadlineMs` on the reporter's clock. */
  async sendAll(deadlineMs: number): Promise<void> {
    const { queue, nowMs } = this.parts;
    this.endsAtMs = deadlineMs;
    clearInterval(this.heartbeat);
    const abort = (): void => {
      this.over.abort();
    };
    const aborting = setTimeout(abort, this.leftMs(deadlineMs));
    while (!queue.isEmpty && nowMs() < this.endsAtMs) {
      this.sendIn(0);
      await this.sending;
      if (this.isDenied) break;
    }
    clearTimeout(aborting);
    clearTimeout(this.timer);
    abort();
    this.unreported = queue.size;
    queue.leave();
  }

  /** The service's counts of the run after sending; `undefined` if it does not report them. */
  async counts(deadlineMs: number): Promise<TestRunTotals | undefined> {
    if (this.unreported > 0) return undefined;
    try {
      const service = this.parts.service.until(AbortSignal.timeout(this.leftMs(deadlineMs)));
      return (await (await service.api()).testRuns.get({ id: this.runId })).totals;
    } catch {
      return undefined;
    }
  }

  /**
   * Reports the end of the run after sending.
   *
   * @returns the run as the service has it then, or why the report failed
   */
  async finish(request: FinishTestRunRequest, deadlineMs: number): Promise<TestRunRecord | Error> {
    const { nowMs, onFailure } = this.parts;
    const timeoutMs = this.leftMs(deadlineMs);
    const signal = AbortSignal.timeout(timeoutMs);
    const service = this.parts.service.until(signal);
    try {
      const finish = async (): Promise<TestRunRecord> => {
        const run = await (await service.api()).testRuns.finish({ id: this.runId, ...request });
        if (run.id !== this.runId || (request.status === 'finished' && run.status !== 'finished'))
          throw new ServiceResponseError(
            200,
            'another run, or one that is not finished',
            `The end of test run ${this.runId}`,
          );
        return run;
      };
      return await retryWhileAway(finish, { timeoutMs, nowMs, signal });
    } catch (error) {
      onFailure(error);
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private leftMs(deadlineMs: number): number {
    return Math.max(0, Math.ceil(deadlineMs - this.parts.nowMs()));
  }

  /** What the service lacks, each with count and reason. @param cure for items that were not reported */
  warnings(cure: string): [count: number, warning: string][] {
    const reasons = [
      ...new Set(this.refused.map(({ itemNo, detail }) => `item ${itemNo ?? '?'}: ${detail}`)),
    ];
    return [
      [
        this.refused.length,
        `The service refused ${this.refused.length} items: ${reasons.slice(0, 5).join('; ')}`,
      ],
      [this.unreported, `The service could not receive ${this.unreported} items. ${cure}`],
    ];
  }

  private sendIn(ms: number): void {
    if (this.sending !== undefined) return;
    if (ms === 0) this.start();
    // A deadline that is already set is earlier.
    else
      this.timer ??= setTimeout(() => {
        this.start();
      }, ms);
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.sendWaiting().finally(() => {
      this.sending = undefined;
    });
  }

  /** Sends until nothing waits. Never rejects. */
  private async sendWaiting(): Promise<void> {
    const { queue, nowMs } = this.parts;
    for (let lines = this.nextLines(); lines.length > 0; lines = this.nextLines()) {
      try {
        await this.send(lines);
        queue.drop(lines.length);
        this.failures = 0;
        this.isDenied = false;
      } catch (error) {
        this.parts.onFailure(error);
        this.isDenied = !isAway(error);
        if (this.isDenied && this.endsAtMs < Infinity) return;
        const delayMs = Math.min(delayAfter(this.failures++), this.endsAtMs - nowMs());
        if (delayMs <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  private nextLines(): string[] {
    return this.parts.queue.first(LIMITS.reportedItems, BYTES_A_REQUEST);
  }

  /** @throws when the service is away */
  private async send(lines: readonly string[]): Promise<void> {
    try {
      const path = await this.service.path(({ testRuns }) => testRuns.report, { id: this.runId });
      const body = `{"items":[${lines.join(',')}]}`;
      const members = ['accepted', 'rejected[]'];
      const answer = await this.service.postJson<ReportTestRunItemsAnswer>(path, body, ...members);
      const { accepted, rejected } = answer;
      // Only an answer that covers all of them is trusted.
      if (accepted + rejected.length !== lines.length)
        throw new ServiceResponseError(
          200,
          `an answer that does not cover all ${lines.length} items`,
          `POST ${path}`,
        );
      for (const { index, item_no, detail } of rejected)
        this.refused.push({ itemNo: item_no ?? parseItemNo(lines[index]), detail });
      this.lastHeartbeatMs = this.parts.nowMs();
    } catch (error) {
      const status = error instanceof ServiceResponseError ? error.status : 0;
      if (isAway(error) || (status !== FINISHED && !WRONG.has(status))) throw error;
      if (lines.length > 1 && status !== FINISHED) {
        // One of them may be the reason: an item must not harm others.
        const half = lines.length >> 1;
        await this.send(lines.slice(0, half));
        await this.send(lines.slice(half));
        return;
      }
      const detail = error instanceof ServiceResponseError ? error.detail : String(error);
      for (const line of lines) this.refused.push({ itemNo: parseItemNo(line), detail });
    }
  }

  private sendHeartbeat(): void {
    const { nowMs } = this.parts;
    if (nowMs() - this.lastHeartbeatMs < LIMITS.heartbeatMs / 2) return;
    this.service
      .api()
      .then(({ testRuns }) => testRuns.beat({ id: this.runId }))
      .then(
        () => {
          this.lastHeartbeatMs = nowMs();
        },
        () => undefined,
      );
  }
}

function parseItemNo(line: string | undefined): number | undefined {
  return line === undefined ? undefined : (JSON.parse(line) as TestRunItemReport).item_no;
}
