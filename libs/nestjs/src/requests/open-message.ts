import type { ExecutionContext } from '@nestjs/common';
import type { DeferredSpan } from '@dacapo/tracer/internal';
import type { TracerRef } from '../module/tracer-ref.js';
import { MessageWork } from './message-work.js';

interface OpenMessage {
  readonly span: DeferredSpan;
  ending?: NodeJS.Immediate | undefined;
}

/** As they were when this file was loaded: the fake timers of a test would hold the end of a span back. */
const { setImmediate, clearImmediate } = globalThis;

/** By the arguments of the handler, which guards and interceptors of one message share. */
const messages = new WeakMap<object, OpenMessage>();

/** The span of a message for a guard, the first of which opens it; `undefined` while tracing is off. */
export function openMessage(context: ExecutionContext, ref: TracerRef): DeferredSpan | undefined {
  const present = messages.get(context.getArgs());
  if (present !== undefined) {
    clearImmediate(present.ending);
    return present.span;
  }
  const span = ref.tracer?.defer(new MessageWork(context, ref.requests));
  if (span !== undefined) messages.set(context.getArgs(), { span });
  return span;
}

/** A guard let the message pass: the span ends unless another guard, or whoever ends it, takes it in this turn. */
export function endUnlessTaken(context: ExecutionContext): void {
  const message = messages.get(context.getArgs());
  if (message === undefined) return;
  message.ending = setImmediate(() => {
    takeMessage(context)?.succeed();
  });
}

/** The span that guards of the message opened, for the one who ends it. */
export function takeMessage(context: ExecutionContext): DeferredSpan | undefined {
  const message = messages.get(context.getArgs());
  messages.delete(context.getArgs());
  clearImmediate(message?.ending);
  return message?.span;
}
