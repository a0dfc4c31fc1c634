import { isPromise } from 'node:util/types';
import type { ContextType, Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Carrier } from '@dacapo/tracer';
import { answeredAtOnce, deferSpan, isInsideTracedWork } from '@dacapo/tracer/internal';
import { classesIn } from '../container.js';
import { readJobCarrier } from '../propagation/jobs.js';
import { MessageWork } from '../requests/message-work.js';
import { noteEnrichment } from '../requests/note-enrichment.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { allMethods } from '../tracing/own-methods.js';
import { proxyMethod } from '../tracing/proxy-method.js';
import { type Method, readTracedMethod } from '../tracing/traced-method.js';
import { openSlot, readRef, slotFor } from '../tracing/tracer-slot.js';

/** What calls a handler. Handlers of requests and messages have no kind: their trace is opened before they run. */
type HandlerKind = 'queue' | 'schedule' | 'event' | 'cqrs';

/** Metadata by which Nest's packages recognize a handler method. */
const METHOD_KINDS: readonly (readonly [metadata: string, kind: HandlerKind])[] = [
  ['EVENT_LISTENER_METADATA', 'event'],
  ['SCHEDULER_TYPE', 'schedule'],
  ['bull:module_queue_process', 'queue'],
  ['bullmq:worker_events_metadata', 'queue'],
];

/** Metadata of a class, and the method that its package calls. */
const CLASS_KINDS: readonly (readonly [metadata: string, method: string, kind: HandlerKind])[] = [
  ['bullmq:processor_metadata', 'process', 'queue'],
  ['__commandHandler__', 'execute', 'cqrs'],
  ['__queryHandler__', 'execute', 'cqrs'],
  ['__eventsHandler__', 'handle', 'cqrs'],
];

interface Handler {
  readonly kind: HandlerKind;
  readonly name: string | symbol;
  readonly method: Method;
  readonly descriptor: PropertyDescriptor;
  /** Defines the method: that of the class, or of one that it extends. */
  readonly prototype: object;
}

const wrapped = new WeakSet<Method>();

/** Opens a trace for each call of a queue, schedule, event or CQRS handler. Call it before libraries read the handlers. */
export function wrapHandlers(modules: ModulesContainer): void {
  for (const type of classesIn(modules)) for (const handler of findHandlers(type)) wrapHandler(handler);
}

/** The queue, schedule, event and CQRS handlers of a class, own or inherited. */
function findHandlers(type: { readonly prototype?: unknown }): Handler[] {
  const classKinds = new Map<string | symbol, HandlerKind>();
  for (const [metadata, name, kind] of CLASS_KINDS)
    if (Reflect.hasMetadata(metadata, type)) classKinds.set(name, kind);
  return [...allMethods(type)].flatMap((method) => {
    const kind = classKinds.get(method.name) ?? findMethodKind(method.method);
    return kind === undefined ? [] : { ...method, kind };
  });
}

function findMethodKind(method: Method): HandlerKind | undefined {
  return METHOD_KINDS.find(([metadata]) => Reflect.hasMetadata(metadata, method))?.[1];
}

function wrapHandler({ kind, name, method, descriptor, prototype }: Handler): void {
  if (wrapped.has(method) || descriptor.configurable !== true) return;
  const value = proxyMethod(method, {
    apply: (target, self: unknown, args: unknown[]) =>
      runHandler({ kind, target, self, args }, () => Reflect.apply(target, self, args)),
  });
  wrapped.add(value);
  Object.defineProperty(prototype, name, { ...descriptor, value });
  openSlot(prototype, DEFAULT_TRACER);
}

interface HandlerCall {
  readonly kind: HandlerKind;
  readonly target: Method;
  readonly self: unknown;
  readonly args: unknown[];
}

/** Calls a handler in a trace of its own, or as part of the traced code that calls it, as most events and commands are. */
function runHandler({ kind, target, self, args }: HandlerCall, call: () => unknown): unknown {
  const ref = readRef(self, slotFor(DEFAULT_TRACER));
  if (ref?.tracer === undefined || ref.isClosed || isInsideTracedWork()) return call();
  const context = new ExecutionContextHost(args, (self as object).constructor as Type, target);
  context.setType(kind as ContextType);
  const traced = readTracedMethod(target);
  const traceContext = traced?.options.traceContext as
    ((...value: unknown[]) => Carrier | undefined) | undefined;
  const carrier = ref.tracer.guard('reading traceContext of @Traced', () =>
    answeredAtOnce('traceContext', traceContext?.(...args)),
  );
  const work = new MessageWork(context, ref.requests, {
    carrier: carrier ?? (kind === 'queue' ? readJobCarrier(args[0]) : undefined),
    incoming: traced?.options.incoming,
    isRecorded: traced !== undefined,
    isLeftBehind: true,
  });
  const span = deferSpan(ref.tracer, work);
  if (span === undefined) return call();
  // Some worker events have no job, such as an error or the id of a stalled job.
  if (kind !== 'queue' || isJob(args[0])) noteEnrichment(span, context, ref.requests);
  const succeed = (): void => {
    span.succeed();
  };
  const fail = (error: unknown): void => {
    span.fail(error);
  };
  try {
    const result = span.run(call);
    if (isPromise(result)) result.then(succeed, fail);
    else succeed();
    return result;
  } catch (error) {
    fail(error);
    throw error;
  }
}

function isJob(args: unknown): boolean {
  return typeof args === 'object' && args !== null && 'data' in args;
}
