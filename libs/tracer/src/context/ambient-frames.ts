import type { AmbientIds } from './ambient-ids.js';
import { type ContextFrame, isInReplay } from './context-frame.js';
import { contextStorage } from './context-storage.js';

/** A library that keeps a current span of its own, beside our context. */
export interface AmbientSource {
  /** What of it runs right now; `undefined` when nothing of it does, or nothing that was recorded. */
  position(): AmbientPosition | undefined;
}

export interface AmbientPosition {
  /** The library's id of its current span; absent: its trace is open and no span is. */
  readonly foreignId: string | undefined;
  readonly frame: ContextFrame;
  readonly startedMs: number;
}

const KEY = Symbol.for('@dacapo/ambient');

const globals = globalThis as unknown as Record<symbol, Set<AmbientSource> | undefined>;
const sources = (globals[KEY] ??= new Set());

export function addAmbientSource(source: AmbientSource): void {
  sources.add(source);
}

export function removeAmbientSource(source: AmbientSource): void {
  sources.delete(source);
}

/**
 * The innermost frame of the code that runs right now: the open span of ours, or the span of a library that was
 * opened inside it.
 *
 * @param except a source that asks for itself, and so wants what stands around its own span
 */
export function currentFrame(except?: AmbientSource): ContextFrame | undefined {
  const frame = contextStorage.getStore();
  if (sources.size === 0) return frame;
  let inner: AmbientPosition | undefined;
  for (const source of sources) {
    if (source === except) continue;
    const position = positionOf(source);
    if (position === undefined || !isInside(frame, source, position)) continue;
    if (inner === undefined || position.startedMs >= inner.startedMs) inner = position;
  }
  return inner?.frame ?? frame;
}

/** Each library's current span, to be kept with a span of ours that opens now. */
export function currentAmbientIds(): AmbientIds | undefined {
  if (sources.size === 0) return undefined;
  const ids = new Map<AmbientSource, string>();
  for (const source of sources) {
    const id = positionOf(source)?.foreignId;
    if (id !== undefined) ids.set(source, id);
  }
  return ids.size === 0 ? undefined : ids;
}

/** Asked for wherever the application asks for its span: it must not throw there. */
function positionOf(source: AmbientSource): AmbientPosition | undefined {
  try {
    return source.position();
  } catch {
    return undefined;
  }
}

function isInside(
  frame: ContextFrame | undefined,
  source: AmbientSource,
  { foreignId, frame: { trace } }: AmbientPosition,
): boolean {
  if (frame === undefined) return true;
  // What was open around a replay is none of it.
  if (isInReplay(frame) && trace !== frame.trace) return false;
  return foreignId !== undefined && frame.ambientIds?.get(source) !== foreignId;
}
