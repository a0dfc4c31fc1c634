import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeliveryOptions, Tracer, type TracerError } from '@dacapo/tracer';
import type { FaultServer } from './fault-server.js';
import type { Account } from './oracle.js';

/** Faults last tenths of a second here, so the pauses between retries are short, too. */
const QUICK: DeliveryOptions = { intervalMs: 50, retryMinDelayMs: 20, retryMaxDelayMs: 150 };

/** An application in this process that calls a traced function and records the id of each span. */
export class TracedHost implements Account {
  readonly sent: string[] = [];
  readonly reportedDropped: string[] = [];
  readonly errors: TracerError[] = [];
  readonly spoolDir: string;
  readonly tracer: Tracer;
  private readonly answer: (question: string, number: number) => string;

  constructor(server: Pick<FaultServer, 'url'>, delivery: DeliveryOptions = {}) {
    this.spoolDir = delivery.spoolDir ?? mkdtempSync(join(tmpdir(), 'dacapo-faults-'));
    this.tracer = new Tracer({
      apiKey: 'key-of-the-host',
      serviceUrl: server.url,
      delivery: { ...QUICK, spoolDir: this.spoolDir, ...delivery },
      onError: (error) => {
        this.errors.push(error);
        if ('ids' in error) this.reportedDropped.push(...(error.ids as string[]));
      },
      logger: { warn: () => undefined },
    });
    this.answer = this.tracer.withSpan('answer', (question: string, number: number) => {
      this.sent.push(this.tracer.getCurrentSpan().spanId);
      return `${number}: ${question.length}`;
    });
  }

  get codes(): string[] {
    return this.errors.map(({ code }) => code);
  }

  /** Calls the traced function `count` times in one tick, and checks that its results are the same as without a tracer. */
  call(count: number, questionBytes = 100): void {
    const question = 'q'.repeat(questionBytes);
    for (let number = 0; number < count; number++) {
      if (this.answer(question, number) !== `${number}: ${questionBytes}`)
        throw new Error('the result changed');
    }
  }

  /** Waits until all spans are sent or reported as dropped. */
  async drain(timeoutMs = 20_000): Promise<void> {
    expect(await this.tracer.flush(timeoutMs)).toBe(true);
    await this.tracer.shutdown();
  }

  expectBalance(): void {
    const { recorded, delivered, waiting, dropped } = this.tracer.stats();
    const droppedInAll = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    expect(delivered + waiting + droppedInAll).toBe(recorded);
  }

  async end(): Promise<void> {
    await this.tracer.shutdown(200);
    rmSync(this.spoolDir, { recursive: true, force: true, maxRetries: 10 });
  }
}
