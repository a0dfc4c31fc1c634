import type { Captured } from '../capture/captured.js';
import type { JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';

interface ContextRecorder {
  readonly isFull: boolean;
  readonly fields: FieldCapture;
}

/** What `addContext` gathered on one span, within the bound of a field: what comes after it is counted. */
export class SpanContexts {
  held: Captured[] = [];
  heldBytes = 0;
  /** How many were sent before, and are no longer here. */
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
