import { type ContextFrame, enteredFrame, type ExternalSpanIds, isInReplay } from './context-storage.js';

/** The context of a library that has its own current span. */
export interface ExternalContext {
  /** Returns the library's current position; `undefined` without one, and for spans that are not recorded. */
  position(): ExternalPosition | undefined;
}

export interface ExternalPosition {
  /** The library's id of its current span; absent if only its trace is open. */
  readonly externalId: string | undefined;
  /** Absent if only the id of the span is known. */
  readonly frame: ContextFrame | undefined;
  readonly startedMs: number;
}

const KEY = Symbol.for('@dacapo/external-contexts');

const globals: typeof globalThis & { [KEY]?: Set<ExternalContext> | undefined } = globalThis;
const contexts = (globals[KEY] ??= new Set());

export function addExternalContext(context: ExternalContext): void {
  contexts.add(context);
}

export function removeExternalContext(context: ExternalContext): void {
  contexts.delete(context);
}

/**
 * Returns the innermost frame of the running code: our open span, or a library's span that was opened inside it.
 *
 * @param except a context to ignore, because it searches the frame around its own span
 */
export function currentFrame(except?: ExternalContext): ContextFrame | undefined {
  const frame = enteredFrame();
  if (contexts.size === 0) return frame;
  let inner: ExternalPosition | undefined;
  for (const context of contexts) {
    if (context === except) continue;
    const position = readPosition(context);
    if (position?.frame === undefined || !isInside(frame, context, position)) continue;
    if (inner === undefined || position.startedMs >= inner.startedMs) inner = position;
  }
  return inner?.frame ?? frame;
}

/** Returns the current span of each library, to store with our span that opens now. */
export function currentExternalIds(): ExternalSpanIds | undefined {
  if (contexts.size === 0) return undefined;
  const ids = new Map<ExternalContext, string>();
  for (const context of contexts) {
    const id = readPosition(context)?.externalId;
    if (id !== undefined) ids.set(context, id);
  }
  return ids.size === 0 ? undefined : ids;
}

/** Reads a position without throwing, because the application's own calls depend on it. */
function readPosition(context: ExternalContext): ExternalPosition | undefined {
  try {
    return context.position();
  } catch {
    return undefined;
  }
}

function isInside(
  frame: ContextFrame | undefined,
  context: ExternalContext,
  { externalId, frame: external }: ExternalPosition,
): boolean {
  if (frame === undefined) return true;
  // What was open around a replay is none of it.
  if (isInReplay(frame) && external?.trace !== frame.trace) return false;
  return externalId !== undefined && frame.externalIds?.get(context) !== externalId;
}
