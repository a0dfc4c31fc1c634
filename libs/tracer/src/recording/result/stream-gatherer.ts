import type { SpanStatus } from '@dacapo/protocol';
import type { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../active-span.js';
import { GatheredItems } from './gathered-items.js';

/** Gets what passes through a stream, and ends its span. */
export type StreamFollower = Pick<StreamGatherer, 'add' | 'succeed' | 'fail' | 'cancel'>;

/** Collects the items of a stream as they pass, and ends the span at its end. */
export class StreamGatherer {
  /** See `StreamNote`. Set it before the end. */
  isAtOnce = false;

  private readonly items: GatheredItems;
  private firstAfterMs: number | undefined;
  private done = false;
  private returned: Captured | undefined;

  constructor(
    private readonly span: ActiveSpan,
    private readonly kind: string,
  ) {
    this.items = new GatheredItems(span.start.recorder.fields, span.start.definition);
  }

  add(item: unknown): void {
    if (this.done) return;
    const { recorder } = this.span.start;
    this.firstAfterMs ??= recorder.elapsedMs(this.span);
    const size = this.items.add(item, this.span.isRecording && !recorder.isFull);
    if (size > 0) recorder.held(this.span, size);
  }

  /** @param returned the return value of a generator, in addition to what it yielded */
  succeed(returned?: unknown): void {
    if (this.done) return;
    const { recorder, definition } = this.span.start;
    if (returned !== undefined && this.span.isRecording && definition.captureOutput === true)
      this.returned = recorder.fields.captureOutput(definition, returned);
    this.end('ok');
  }

  /** Its consumer stopped before the end. */
  cancel(): void {
    this.end('cancelled');
  }

  fail(error: unknown): void {
    if (this.done) return;
    this.note();
    this.done = true;
    this.span.fail(error, this.items.output());
  }

  private end(status: SpanStatus): void {
    if (this.done) return;
    this.note();
    this.done = true;
    this.span.finish(status, this.items.output());
  }

  private note(): void {
    const { kind, items, firstAfterMs, isAtOnce, returned } = this;
    this.span.stream = { kind, items: items.count, timeToFirstItemMs: firstAfterMs, isAtOnce, returned };
  }
}
