import type { ExecutionContext } from '@nestjs/common';
import { type DeferredSpan, deferSpan } from '@dacapo/tracer/internal';
import type { TracerRef } from '../tracer-ref.js';
import { MessageWork } from './message-work.js';

interface OpenMessage {
  readonly span: DeferredSpan;
  ending?: NodeJS.Immediate | undefined;
}

/** Bound when this file is loaded, because fake timers would delay the end of a span. */
const { setImmediate, clearImmediate } = globalThis;

/** By the handler's arguments, which all guards and interceptors of one message share. */
const messages = new WeakMap<object, OpenMessage>();

/** Returns the span of a message for a guard; the first guard opens it. `undefined` while tracing is off. */
export function openMessage(context: ExecutionContext, ref: TracerRef): DeferredSpan | undefined {
  const present = messages.get(context.getArgs());
  if (present !== undefined) {
    clearImmediate(present.ending);
    return present.span;
  }
  const span = ref.tracer && deferSpan(ref.tracer, new MessageWork(context, ref.requests));
  if (span !== undefined) messages.set(context.getArgs(), { span });
  return span;
}

/** Ends the span after this turn of the event loop, unless another guard or the interceptor takes it. */
export function endUnlessTaken(context: ExecutionContext): void {
  const message = messages.get(context.getArgs());
  if (message === undefined) return;
  message.ending = setImmediate(() => {
    takeMessage(context)?.succeed();
  });
}

/** Takes the span that the guards of a message opened. The caller ends it. */
export function takeMessage(context: ExecutionContext): DeferredSpan | undefined {
  const message = messages.get(context.getArgs());
  messages.delete(context.getArgs());
  clearImmediate(message?.ending);
  return message?.span;
}
