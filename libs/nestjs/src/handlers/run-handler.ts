import { isPromise } from 'node:util/types';
import type { ContextType, Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Carrier } from '@dacapo/tracer';
import { answeredAtOnce, isInsideTracedWork } from '@dacapo/tracer/internal';
import { carrierOfJob } from '../propagation/jobs.js';
import { MessageWork } from '../requests/message-work.js';
import { noteEnrichment } from '../requests/note-enrichment.js';
import { DEFAULT_TRACER } from '../tokens.js';
import { type Method, tracedMethodOf } from '../tracing/traced-method.js';
import { refOf } from '../tracing/tracer-of.js';
import { slotOf } from '../tracing/tracer-slot.js';
import type { HandlerKind } from './handler-kinds.js';

export interface HandlerCall {
  readonly kind: HandlerKind;
  readonly target: Method;
  readonly self: unknown;
  readonly args: unknown[];
}

/**
 * Calls a handler as one piece of work: a trace of what it calls, with what `enrich` says. Called by code that is traced,
 * as most events and commands are, it is part of that.
 */
export function runHandler({ kind, target, self, args }: HandlerCall, call: () => unknown): unknown {
  const ref = refOf(self, slotOf(DEFAULT_TRACER));
  if (ref?.tracer === undefined || ref.isClosed || isInsideTracedWork()) return call();
  const context = new ExecutionContextHost(args, (self as object).constructor as Type, target);
  context.setType(kind as ContextType);
  const traced = tracedMethodOf(target);
  const traceContext = traced?.options.traceContext as
    ((...given: unknown[]) => Carrier | undefined) | undefined;
  const own = ref.tracer.guard('reading traceContext of @Traced', () =>
    answeredAtOnce('traceContext', traceContext?.(...args)),
  );
  const work = new MessageWork(context, ref.requests, {
    carrier: own ?? (kind === 'queue' ? carrierOfJob(args[0]) : undefined),
    incoming: traced?.options.incoming,
    isRecorded: traced !== undefined,
    isLeftBehind: true,
  });
  const span = ref.tracer.defer(work);
  if (span === undefined) return call();
  // Some events of a worker have no job: an error, the id of a stalled job.
  if (kind !== 'queue' || isJob(args[0])) noteEnrichment(span, context, ref.requests);
  const succeeded = (): void => {
    span.succeed();
  };
  const failed = (error: unknown): void => {
    span.fail(error);
  };
  try {
    const result = span.run(call);
    if (isPromise(result)) result.then(succeeded, failed);
    else succeeded();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}

function isJob(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'data' in given;
}
