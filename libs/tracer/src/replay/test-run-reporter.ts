import {
  type CreateTestRunRequest,
  type ReportTestRunItemsRequest,
  routePath,
  ROUTES,
  type TestRunItemReport,
  type TestRunRecord,
} from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

const ITEMS_A_REQUEST = 50;
const BYTES_A_REQUEST = 4 * 1024 * 1024;

/** Tells the service of a test run: that it began, each item soon after it is there, and that it ended. */
export class TestRunReporter {
  private waiting: TestRunItemReport[] = [];
  private waitingBytes = 0;
  private sending: Promise<void> = Promise.resolve();

  private constructor(
    private readonly service: ServiceClient,
    readonly run: TestRunRecord,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  static async begin(
    service: ServiceClient,
    request: CreateTestRunRequest,
    onFailure: (error: unknown) => void,
  ): Promise<TestRunReporter> {
    return new TestRunReporter(
      service,
      await service.post<TestRunRecord>(ROUTES.testRuns, request, 'id', 'url'),
      onFailure,
    );
  }

  add(item: TestRunItemReport): void {
    this.waiting.push(item);
    this.waitingBytes += JSON.stringify(item).length;
    if (this.waiting.length >= ITEMS_A_REQUEST || this.waitingBytes >= BYTES_A_REQUEST) this.send();
  }

  async finish(): Promise<void> {
    this.send();
    await this.sending;
    await this.post(routePath(ROUTES.finishTestRun, { id: this.run.id }), {});
  }

  private send(): void {
    if (this.waiting.length === 0) return;
    const request: ReportTestRunItemsRequest = { items: this.waiting };
    this.waiting = [];
    this.waitingBytes = 0;
    const path = routePath(ROUTES.testRunItems, { id: this.run.id });
    this.sending = this.sending.then(() => this.post(path, request));
  }

  /** The caller has its items even when the service misses some of them. */
  private async post(path: string, body: unknown): Promise<void> {
    try {
      await this.service.post(path, body);
    } catch (error) {
      this.onFailure(error);
    }
  }
}
