import type { WrittenOtlpSpan } from '@dacapo/protocol/otlp';

const SPANS_IN_A_REQUEST = 512;
/** Characters of attributes, the bulk of a request's JSON. A request with more takes no further span. */
const REQUEST_LENGTH = 1024 * 1024;

/** Collects spans and posts them whenever they fill a request. */
export class PendingSpans {
  private spans: WrittenOtlpSpan[] = [];
  private length = 0;

  constructor(private readonly post: (spans: readonly WrittenOtlpSpan[]) => Promise<void>) {}

  async add(written: WrittenOtlpSpan): Promise<void> {
    this.spans.push(written);
    for (const value of Object.values(written.span.attributes))
      if (typeof value === 'string') this.length += value.length;
    if (this.spans.length >= SPANS_IN_A_REQUEST || this.length >= REQUEST_LENGTH) await this.send();
  }

  /** Posts the spans that are left, perhaps none. */
  async send(): Promise<void> {
    const { spans } = this;
    this.spans = [];
    this.length = 0;
    await this.post(spans);
  }
}
