import type { SpanStatus } from '@dacapo/protocol';
import { type ByteString, decodeText } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import { mergeMeta, prefixMeta } from '../../capture/field-meta.js';
import type { ActiveSpan } from '../active-span.js';

type Notes = NonNullable<Captured['meta']>;

/** How many bytes of items and their notes are kept; what comes later is counted. */
const KEPT_BYTES = 1024 * 1024;

/** Gathers what a stream gives, item by item as it passes, and ends the span when the stream is done. */
export class StreamGatherer {
  /** See `StreamNote`; to be told before the end. */
  isAtOnce = false;

  private readonly items: ByteString[] = [];
  private readonly notes: (Notes | undefined)[] = [];
  private size = 0;
  private count = 0;
  private firstAfterMs: number | undefined;
  private replayable = true;
  private cut = false;
  private done = false;
  private returned: Captured | undefined;

  constructor(
    private readonly span: ActiveSpan,
    private readonly kind: string,
  ) {}

  add(item: unknown): void {
    if (this.done) return;
    const { recorder, definition } = this.span.start;
    this.firstAfterMs ??= recorder.elapsedMs(this.span);
    const index = this.count++;
    this.cut ||= this.size > KEPT_BYTES || recorder.isFull;
    if (!this.span.isRecording || definition.captureOutput === false || this.cut) return;
    const captured = recorder.fields.capture(item);
    if (captured === undefined) return;
    const notes = prefixMeta(`/${index}`, captured.meta);
    // Of many small items the notes are the larger part.
    const size = captured.size + (notes === undefined ? 0 : JSON.stringify(notes).length);
    this.size += size;
    recorder.held(this.span, size);
    this.replayable &&= captured.replayable;
    this.items.push(captured.utf8);
    this.notes.push(notes);
  }

  /** @param returned what a generator returned, beside what it gave */
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
    this.span.fail(error, this.output());
  }

  private end(status: SpanStatus): void {
    if (this.done) return;
    this.note();
    this.done = true;
    this.span.finish(status, this.output());
  }

  private note(): void {
    const { kind, count, firstAfterMs, isAtOnce, returned } = this;
    this.span.stream = { kind, items: count, timeToFirstItemMs: firstAfterMs, isAtOnce, returned };
  }

  private output(): Captured | undefined {
    const { captureOutput } = this.span.start.definition;
    if (captureOutput === false) return undefined;
    const { fields } = this.span.start.recorder;
    const whole = `[${this.items.join(',')}]` as ByteString;
    const masked = this.items.length > 1 ? fields.maskPieces(whole) : undefined;
    const utf8 = masked ?? whole;
    if (typeof captureOutput === 'function') {
      const items: unknown = JSON.parse(decodeText(utf8));
      return fields.captureOutput(this.span.start.definition, items);
    }
    const cut = this.count > this.items.length ? { truncated: { '': { items: this.count } } } : undefined;
    const redacted = masked && { redacted: [''] };
    return new Captured(
      utf8,
      mergeMeta([...this.notes, cut, redacted]),
      this.replayable && cut === undefined,
    );
  }
}
