import type { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { ENDS_SPAN, type SelfEnding } from '../../recording/result/result-kinds.js';
import type { BamlStream } from './baml-types.js';
import type { CallRecording } from './call-recording.js';

/**
 * The same stream, followed to its end, break or abort, whichever of its ways it is consumed in.
 *
 * Its other members stay: `toStreamable` reads from the followed stream too.
 */
export function trackStream(stream: BamlStream, recording: CallRecording): BamlStream & SelfEnding {
  const progress = new StreamProgress(recording, () => stream.abortSignal?.aborted === true);
  const overrides: Record<PropertyKey, unknown> = {
    [Symbol.asyncIterator]: () => trackIterator(stream[Symbol.asyncIterator](), progress),
    getFinalResponse: async () => {
      progress.begin();
      try {
        const final = await stream.getFinalResponse();
        progress.succeed(final);
        return final;
      } catch (error) {
        progress.fail(error);
        throw error;
      }
    },
    [ENDS_SPAN]: (span: ActiveSpan) => {
      progress.ends(span);
    },
  };
  return new Proxy(stream, {
    get: (target, name) => overrides[name] ?? (Reflect.get(target, name) as unknown),
  }) as BamlStream & SelfEnding;
}

function trackIterator(
  iterator: AsyncIterator<unknown>,
  progress: StreamProgress,
): AsyncIterableIterator<unknown> {
  return {
    async next() {
      progress.begin();
      try {
        const result = await iterator.next();
        if (result.done === true) progress.succeedWithLast();
        else progress.add(result.value);
        return result;
      } catch (error) {
        progress.fail(error);
        throw error;
      }
    },
    async return(value?: unknown) {
      progress.cancel();
      return (await iterator.return?.(value)) ?? { done: true, value };
    },
    async throw(error?: unknown) {
      progress.cancel();
      if (iterator.throw === undefined) throw error;
      return iterator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Where a stream stands. Partial results grow from one to the next, so the last one is kept. */
class StreamProgress {
  private span: ActiveSpan | undefined;
  private items = 0;
  private last: unknown;
  private isBegun = false;
  private firstAfterMs: number | undefined;
  private firstTokenMs: number | undefined;
  private done = false;

  constructor(
    private readonly recording: CallRecording,
    private readonly isAborted: () => boolean,
  ) {}

  /** The span whose function returned the stream: it ends when the stream does. */
  ends(span: ActiveSpan): void {
    this.span = span;
  }

  begin(): void {
    if (!this.isBegun) this.recording.begun();
    this.isBegun = true;
  }

  add(item: unknown): void {
    this.firstTokenMs ??= this.recording.elapsedMs();
    this.firstAfterMs ??= this.span?.start.recorder.elapsedMs(this.span);
    this.items++;
    this.last = item;
  }

  succeed(final: unknown): void {
    this.end((span) => {
      span.succeed(final);
    });
  }

  succeedWithLast(): void {
    if (this.isAborted()) this.cancel();
    else this.succeed(this.last);
  }

  fail(error: unknown): void {
    this.end((span) => {
      span.fail(error, this.lastOutput(span));
    });
  }

  cancel(): void {
    this.end((span) => {
      span.finish('cancelled', this.lastOutput(span));
    });
  }

  private end(close: (span: ActiveSpan) => void): void {
    if (this.done) return;
    this.done = true;
    this.recording.end(this.firstTokenMs);
    if (this.span === undefined) return;
    this.span.stream = { kind: 'baml-stream', items: this.items, timeToFirstItemMs: this.firstAfterMs };
    close(this.span);
  }

  private lastOutput(span: ActiveSpan): Captured | undefined {
    return span.start.recorder.fields.captureOutput(span.start.definition, this.last);
  }
}
