import type { TracerError } from '../errors.js';
import type { DeliveryOptions } from './delivery-options.js';
import type { DeliveryStats, RecordSink } from './record-sink.js';

export class HttpDelivery implements RecordSink {
  private lines: string[] = [];
  private count = 0;
  private delivered = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: {
      serviceUrl: string;
      apiKey: string;
      timeoutMs: number;
      options?: DeliveryOptions;
      report: (error: TracerError) => void;
    },
  ) {}

  add(line: string): void {
    this.count++;
    this.lines.push(line);
    this.timer ??= setTimeout(() => void this.flush(), 1000).unref();
  }

  async flush(): Promise<boolean> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const lines = this.lines;
    this.lines = [];
    if (lines.length === 0) return true;
    const response = await fetch(`${this.settings.serviceUrl}/api/v1/ingest`, {
      method: 'POST',
      headers: { 'api-key': this.settings.apiKey, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    if (response.ok) this.delivered += lines.length;
    return response.ok;
  }

  async shutdown(): Promise<void> {
    await this.flush();
  }

  stats(): DeliveryStats {
    return { recorded: this.count, delivered: this.delivered, waiting: this.count - this.delivered, dropped: {} };
  }
}
