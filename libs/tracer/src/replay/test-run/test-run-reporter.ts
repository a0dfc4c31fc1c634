import {
  type FinishTestRunRequest,
  LIMITS,
  type ReportTestRunItemsAnswer,
  routePath,
  ROUTES,
  type TestRunItemReport,
  type TestRunRecord,
  type TestRunTotals,
} from '@dacapo/protocol';
import { ServiceResponseError } from '../../service/errors.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { ReportQueue } from './report-queue.js';
import { delayAfter, isAway, retryWhileAway } from './retry-while-away.js';

/** An item is reported so long after it ended, with those that ended meanwhile. */
const INTERVAL_MS = 250;
const BYTES_A_REQUEST = 4 * 1024 * 1024;

/** Answers that say that a report is wrong. What else is refused (a key, a run that is not there) may be taken another time. */
const WRONG: ReadonlySet<number> = new Set([400, 413, 422]);
/** The run is finished: no further item will be taken. */
const FINISHED = 409;

export interface ReporterParts {
  readonly service: ServiceClient;
  readonly queue: ReportQueue;
  readonly nowMs: () => number;
  /** Told once of each cause. */
  readonly onFailure: (error: unknown) => void;
}

/** An item that the service did not take. */
export interface RefusedItem {
  readonly itemNo: number | undefined;
  readonly detail: string;
}

/**
 * Tells the service of a test run's items, soon after they end and in batches, and that the run goes on. While the service
 * is away they wait; what it refuses is left out and noted.
 */
export class TestRunReporter {
  readonly refused: RefusedItem[] = [];

  /** How many items the service has not heard of; known once the run is over. */
  unreported = 0;

  private timer: NodeJS.Timeout | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private sending: Promise<void> | undefined;
  private failures = 0;
  /** Whether the last answer was that nothing will be taken, however often it is asked. */
  private isDenied = false;
  private lastHeartbeatMs: number;
  /** Once the run is over, the time by which all must be sent. */
  private endsAtMs = Infinity;
  /** Aborts reports and signs of life that are under way when nothing more is sent. */
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

  /** Resolves when what waited from before was sent, or could not be. */
  async caughtUp(): Promise<void> {
    await this.sending;
  }

  /** Sends what waits, until `deadlineMs` on the reporter's clock. */
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

  /** What the service counts of the run, once all was sent that can be; `undefined` where it does not say. */
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
   * Says that the run is over, once all was sent that can be.
   *
   * @returns the run as the service has it then; why it could not be told
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

  /** What the service does not have, each as how many and why. @param cure for items that it was not told of */
  warnings(cure: string): [count: number, warning: string][] {
    const reasons = [
      ...new Set(this.refused.map(({ itemNo, detail }) => `item ${itemNo ?? '?'}: ${detail}`)),
    ];
    return [
      [
        this.refused.length,
        `The service refused ${this.refused.length} items: ${reasons.slice(0, 5).join('; ')}`,
      ],
      [this.unreported, `The service could not be told of ${this.unreported} items. ${cure}`],
    ];
  }

  private sendIn(ms: number): void {
    if (this.sending !== undefined) return;
    if (ms === 0) this.start();
    // One that is set already is sooner.
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

  /** Until nothing waits. Never rejects. */
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
    const path = routePath(ROUTES.testRunItems, { id: this.runId });
    try {
      const body = `{"items":[${lines.join(',')}]}`;
      const members = ['accepted', 'rejected[]'];
      const answer = await this.service.postJson<ReportTestRunItemsAnswer>(path, body, ...members);
      const { accepted, rejected } = answer;
      // Only an answer that tells of all of them is believed.
      if (accepted + rejected.length !== lines.length)
        throw new ServiceResponseError(
          200,
          `no answer that tells of all ${lines.length} items`,
          `POST ${path}`,
        );
      for (const { index, item_no, detail } of rejected)
        this.refused.push({ itemNo: item_no ?? parseItemNo(lines[index]), detail });
      this.lastHeartbeatMs = this.parts.nowMs();
    } catch (error) {
      const status = error instanceof ServiceResponseError ? error.status : 0;
      if (isAway(error) || (status !== FINISHED && !WRONG.has(status))) throw error;
      if (lines.length > 1 && status !== FINISHED) {
        // One of them may be why: no item harms another.
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
