import type { SpanStatus } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import type { Clock } from '../context/clock.js';
import { isInReplay } from '../context/context-storage.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import { adoptsNothing, type RecordingFrame } from './recording-frame.js';
import type { SpanDefinition } from './span-definition.js';
import { type MirroredSpan, type MirroredStart, spanMirror } from './span-mirror.js';

interface MirroringRecorder {
  join(frame: RecordingFrame): ActiveTrace;
  guard<T>(doing: string, work: () => T): T | undefined;
}

/** Opens a span of another library for each span of a recorder, if the process has a mirror. Skips replays. Never throws. */
export class Mirroring {
  constructor(
    private readonly recorder: MirroringRecorder,
    private readonly clock: Clock,
  ) {}

  /** Opens the accompanying span for a span that opens in a frame. */
  open(
    around: RecordingFrame | undefined,
    definition: SpanDefinition,
    startedMs: number,
  ): MirroredSpan | undefined {
    if (isInReplay(around)) return undefined;
    const frame = adoptsNothing(around) ? undefined : around;
    if (frame?.trace !== undefined && !this.recorder.join(frame).sampled) return undefined;
    const { clock } = this;
    const startedAtMs = clock.wallMs() - (clock.monotonicMs() - startedMs);
    return this.start({ definition, parentId: undefined, startedAtMs });
  }

  /** Opens the accompanying span for a span whose parent is known. */
  openFor({ start: { definition, parentId, trace, startedMs } }: ActiveSpan): MirroredSpan | undefined {
    const frame = { trace, parentId, span: undefined, replay: undefined };
    if (spanMirror.current === undefined || isInReplay(frame)) return undefined;
    return this.start({ definition, parentId, startedAtMs: trace.epochMs(startedMs) });
  }

  written({ mirrored }: ActiveSpan, line: ByteString, status: SpanStatus): void {
    if (mirrored === undefined) return;
    this.recorder.guard('writing to a span of another library', () => {
      mirrored.written(line, status);
    });
  }

  closed({ mirrored }: ActiveSpan): void {
    if (mirrored === undefined) return;
    this.recorder.guard('ending a span of another library', () => {
      mirrored.closed();
    });
  }

  private start(start: MirroredStart): MirroredSpan | undefined {
    return this.recorder.guard('opening a span of another library', () => spanMirror.current?.open(start));
  }
}
