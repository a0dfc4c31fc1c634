import type { Captured } from '../../capture/captured.js';
import type { ActiveSpan } from '../../recording/active-span.js';
import { followSteps, type StepFollower } from '../../recording/result/follow-steps.js';
import { ENDS_SPAN, type SelfEnding } from '../../recording/result/result-kinds.js';
import type { BamlStream } from './baml-types.js';
import type { CallRecording } from './call-recording.js';

/**
 * Follows a stream until it ends, is left by `break`, or is aborted, however it is consumed.
 *
 * Its other members keep working; `toStreamable` reads from the followed stream too.
 */
export function trackStream(stream: BamlStream, recording: CallRecording): BamlStream & SelfEnding {
  const progress = new StreamProgress(recording, () => stream.abortSignal?.aborted === true);
  const overrides: Record<PropertyKey, unknown> = {
    [Symbol.asyncIterator]: () => ({
      ...followSteps(stream[Symbol.asyncIterator](), progress),
      [Symbol.asyncIterator]() {
        return this;
      },
    }),
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

/** Progress of a stream. Partial results grow, so the last one is kept. */
class StreamProgress implements StepFollower {
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
    this.close((span) => {
      span.succeed(final);
    });
  }

  fail(error: unknown): void {
    this.close((span) => {
      span.fail(error, this.lastOutput(span));
    });
  }

  end(isLeft: boolean): void {
    if (isLeft || this.isAborted())
      this.close((span) => {
        span.finish('cancelled', this.lastOutput(span));
      });
    else this.succeed(this.last);
  }

  private close(end: (span: ActiveSpan) => void): void {
    if (this.done) return;
    this.done = true;
    this.recording.end(this.firstTokenMs);
    if (this.span === undefined) return;
    this.span.stream = { kind: 'baml-stream', items: this.items, timeToFirstItemMs: this.firstAfterMs };
    end(this.span);
  }

  private lastOutput(span: ActiveSpan): Captured | undefined {
    return span.start.recorder.fields.captureOutput(span.start.definition, this.last);
  }
}
