import type { Captured } from '../capture/captured.js';
import type { JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';

interface ContextRecorder {
  readonly isFull: boolean;
  readonly fields: FieldCapture;
}

/** The contexts that `addContext` added to a span, up to the size limit of a field. Later ones are only counted. */
export class SpanContexts {
  held: Captured[] = [];
  heldBytes = 0;
  /** How many were already sent and removed. */
  sent = 0;
  cut = 0;
  private bytes = 0;

  /** @returns the bytes that it takes */
  add(context: JsonLike, recorder: ContextRecorder): number {
    const isClosed = this.cut > 0 || recorder.isFull;
    const captured = isClosed ? undefined : recorder.fields.captureObject(context);
    const size = captured?.size ?? 0;
    if (isClosed || this.bytes + size > recorder.fields.capturer.options.maxFieldBytes) {
      this.cut++;
      return 0;
    }
    if (captured === undefined) return 0;
    this.held.push(captured);
    this.bytes += size;
    this.heldBytes += size;
    return size;
  }

  letGo(): void {
    this.sent += this.held.length;
    this.held = [];
    this.heldBytes = 0;
  }
}
