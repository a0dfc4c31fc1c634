import { isPromise } from 'node:util/types';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { DeferredSpan, isInsideTracedWork } from '@dacapo/tracer/internal';
import { isObservable, Observable } from 'rxjs';
import type { TracerRef } from '../module/tracer-ref.js';
import { endUnlessTaken, openMessage, takeMessage } from './open-message.js';

export type Verdict = ReturnType<CanActivate['canActivate']>;

const TRANSPORTS: readonly string[] = ['ws', 'rpc'];

/** Calls a guard of a message inside the span of that message, which fails if the guard refuses or throws. */
export function guardMessage(
  guard: string,
  context: ExecutionContext,
  ref: TracerRef,
  judge: () => Verdict,
): Verdict {
  if (!TRANSPORTS.includes(context.getType())) return judge();
  if (DeferredSpan.current() !== undefined || isInsideTracedWork()) return judge();
  const span = openMessage(context, ref);
  if (span === undefined) return judge();
  const judged = (isAllowed: boolean): void => {
    if (isAllowed) endUnlessTaken(context);
    else takeMessage(context)?.fail(new GuardRefusal(guard));
  };
  const failed = (error: unknown): void => takeMessage(context)?.fail(error);
  try {
    return watch(span.run(judge), span, judged, failed);
  } catch (error) {
    failed(error);
    throw error;
  }
}

/** The same verdict, of which `judged` or `failed` hears before Nest does. */
function watch(
  verdict: Verdict,
  span: DeferredSpan,
  judged: (isAllowed: boolean) => void,
  failed: (error: unknown) => void,
): Verdict {
  if (isObservable(verdict)) return watchObservable(verdict, span, judged, failed);
  if (isPromise(verdict)) verdict.then(judged, failed);
  else judged(verdict);
  return verdict;
}

function watchObservable(
  verdict: Observable<boolean>,
  span: DeferredSpan,
  judged: (isAllowed: boolean) => void,
  failed: (error: unknown) => void,
): Observable<boolean> {
  return new Observable((subscriber) => {
    let last = false;
    return span.run(() =>
      verdict.subscribe({
        next: (isAllowed) => {
          last = isAllowed;
          subscriber.next(isAllowed);
        },
        error: (error: unknown) => {
          failed(error);
          subscriber.error(error);
        },
        complete: () => {
          judged(last);
          subscriber.complete();
        },
      }),
    );
  });
}

/** Stands for the exception that Nest makes of a guard's `false`. */
class GuardRefusal extends Error {
  override readonly name = 'GuardRefusal';

  constructor(guard: string) {
    super(`${guard} refused`);
    delete this.stack;
  }
}
