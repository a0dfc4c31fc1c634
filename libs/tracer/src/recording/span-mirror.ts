import type { SpanStatus } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import type { SpanDefinition } from './span-definition.js';

/** The start of one of our spans. */
export interface MirroredStart {
  readonly definition: SpanDefinition;
  /** Its parent, if another library determined it; absent: the parent follows from the running code. */
  readonly parentId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
}

/** The part of one of our spans that the accompanying span uses. */
interface AccompaniedSpan {
  readonly spanId: string;
  mirrored: MirroredSpan | undefined;
}

/** The span of another library that accompanies one of ours. */
export interface MirroredSpan {
  readonly spanId: string;
  /** The id for our trace if it begins with this span; absent: our trace gets a new id. */
  readonly newTraceId: string | undefined;
  /** Called once, with the span that it accompanies. */
  accompany(span: AccompaniedSpan): void;
  /** Called with each record of the span. The last one has another status than `unfinished`. */
  written(line: ByteString, status: SpanStatus): void;
  /** Called when the span has ended, with or without a record. */
  closed(): void;
}

/** Opens a span of another library with each span of ours. */
export interface SpanMirror {
  open(start: MirroredStart): MirroredSpan | undefined;
}

const KEY = Symbol.for('@dacapo/span-mirror');

const globals: typeof globalThis & { [KEY]?: { current?: SpanMirror | undefined } | undefined } = globalThis;

/** The process has one mirror, because the mirrored library also has one context per process. */
export const spanMirror = (globals[KEY] ??= {});
