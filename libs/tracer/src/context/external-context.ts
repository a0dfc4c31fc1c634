import { type ContextFrame, enteredFrame, type ExternalSpanIds, isInReplay } from './context-storage.js';

/** The context of a library that keeps a current span of its own, beside ours. */
export interface ExternalContext {
  /** What of it runs right now; `undefined` when nothing of it does, or nothing that was recorded. */
  position(): ExternalPosition | undefined;
}

export interface ExternalPosition {
  /** The library's id of its current span; absent: its trace is open and no span is. */
  readonly externalId: string | undefined;
  readonly frame: ContextFrame;
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
 * The innermost frame of the code that runs right now: the open span of ours, or the span of a library that was
 * opened inside it.
 *
 * @param except a context that asks for itself, and so wants what is around its own span
 */
export function currentFrame(except?: ExternalContext): ContextFrame | undefined {
  const frame = enteredFrame();
  if (contexts.size === 0) return frame;
  let inner: ExternalPosition | undefined;
  for (const context of contexts) {
    if (context === except) continue;
    const position = readPosition(context);
    if (position === undefined || !isInside(frame, context, position)) continue;
    if (inner === undefined || position.startedMs >= inner.startedMs) inner = position;
  }
  return inner?.frame ?? frame;
}

/** Each library's current span, to be kept with a span of ours that opens now. */
export function currentExternalIds(): ExternalSpanIds | undefined {
  if (contexts.size === 0) return undefined;
  const ids = new Map<ExternalContext, string>();
  for (const context of contexts) {
    const id = readPosition(context)?.externalId;
    if (id !== undefined) ids.set(context, id);
  }
  return ids.size === 0 ? undefined : ids;
}

/** Asked for wherever the application asks for its span: it must not throw there. */
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
  { externalId, frame: { trace } }: ExternalPosition,
): boolean {
  if (frame === undefined) return true;
  // What was open around a replay is none of it.
  if (isInReplay(frame) && trace !== frame.trace) return false;
  return externalId !== undefined && frame.externalIds?.get(context) !== externalId;
}
