import { isPromise } from 'node:util/types';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import { DeferredSpan, isInsideTracedWork } from '@dacapo/tracer/internal';
import { isObservable, Observable } from 'rxjs';
import { visitEnhancers } from '../container.js';
import type { TracerRef } from '../tracer-ref.js';
import { proxyMethod, replaceMethod } from '../tracing/proxy-method.js';
import type { Method } from '../tracing/traced-method.js';
import { endUnlessTaken, openMessage, takeMessage } from './open-message.js';

interface GuardBinding {
  readonly ref: TracerRef;
  /** Another module of the same application replaces this binding. */
  readonly isFallback: boolean;
}

const bindings = new WeakMap<CanActivate, GuardBinding>();

/**
 * Makes the guards of the container run inside the message that they guard. The container does not hold guards in request
 * scope and guards created with `new`.
 */
export function bindGuards(modules: ModulesContainer, binding: GuardBinding): void {
  visitEnhancers(modules, 'guard', (wrapper) => {
    if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient)
      bindGuard(wrapper.instance as CanActivate, binding);
  });
}

function bindGuard(guard: CanActivate, binding: GuardBinding): void {
  const present = bindings.get(guard);
  if (present === undefined) {
    const { canActivate: original } = guard as unknown as { canActivate: Method };
    const value = proxyMethod(original, {
      apply(canActivate, self: CanActivate, args: [ExecutionContext]) {
        const decide = (): GuardResult => Reflect.apply(canActivate, self, args) as GuardResult;
        const { ref } = bindings.get(guard) ?? binding;
        return guardMessage(guard.constructor.name, args[0], ref, decide);
      },
    });
    replaceMethod(guard, 'canActivate', value);
  }
  if (present === undefined || present.isFallback || present.ref.isClosed || !binding.isFallback)
    bindings.set(guard, binding);
}

type GuardResult = ReturnType<CanActivate['canActivate']>;

const TRANSPORTS: readonly string[] = ['ws', 'rpc'];

/** Runs a guard inside the span of its message, which fails if the guard refuses or throws. */
function guardMessage(
  guard: string,
  context: ExecutionContext,
  ref: TracerRef,
  decide: () => GuardResult,
): GuardResult {
  if (!TRANSPORTS.includes(context.getType())) return decide();
  if (DeferredSpan.current() !== undefined || isInsideTracedWork()) return decide();
  const span = openMessage(context, ref);
  if (span === undefined) return decide();
  const observer: GuardObserver = {
    decided: (isAllowed) => {
      if (isAllowed) endUnlessTaken(context);
      else takeMessage(context)?.fail(new GuardRefusal(guard));
    },
    failed: (error) => takeMessage(context)?.fail(error),
  };
  try {
    return observe(span.run(decide), span, observer);
  } catch (error) {
    observer.failed(error);
    throw error;
  }
}

interface GuardObserver {
  readonly decided: (isAllowed: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/** Calls the observer before Nest sees the result. */
function observe(result: GuardResult, span: DeferredSpan, observer: GuardObserver): GuardResult {
  if (isObservable(result)) return observeObservable(result, span, observer);
  if (isPromise(result)) result.then(observer.decided, observer.failed);
  else observer.decided(result);
  return result;
}

function observeObservable(
  result: Observable<boolean>,
  span: DeferredSpan,
  { decided, failed }: GuardObserver,
): Observable<boolean> {
  return new Observable((subscriber) => {
    let last = false;
    return span.run(() =>
      result.subscribe({
        next: (isAllowed) => {
          last = isAllowed;
          subscriber.next(isAllowed);
        },
        error: (error: unknown) => {
          failed(error);
          subscriber.error(error);
        },
        complete: () => {
          decided(last);
          subscriber.complete();
        },
      }),
    );
  });
}

/** The error of a message whose guard returned `false`. Nest throws its own exception later. */
class GuardRefusal extends Error {
  override readonly name = 'GuardRefusal';

  constructor(guard: string) {
    super(`${guard} refused`);
    delete this.stack;
  }
}
