import { captureContext } from '../../context/bind.js';
import type { ActiveSpan } from '../active-span.js';
import { enteringEach, observableClassOf, subscribeTo } from './in-subscribers-context.js';
import { withMembers } from './member-proxy.js';
import type { ObservableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

const { observable: OBSERVABLE = '@@observable' } = Symbol as { observable?: symbol };

/** What makes another Observable of this one, which is to subscribe to the followed one. */
const DERIVING: ReadonlySet<string | symbol> = new Set([
  'pipe',
  'lift',
  'forEach',
  'toPromise',
  'asObservable',
  '@@observable',
  OBSERVABLE,
]);

/**
 * Follows an Observable: one span for each subscription, none while nobody subscribes.
 *
 * `pipe` and the operators work on the followed object, so a derived Observable subscribes to it as well. The
 * caller's own subscriber is handed to the source, which looks at it to know when to stop. The operators of the source run
 * inside the span, and whoever subscribed hears of its items in his own context, whatever context they come in.
 */
export function trackObservable(span: ActiveSpan, target: ObservableLike): object {
  const { recorder } = span.start;
  const { input } = span;
  let subscriptions = 0;
  recorder.suspend(span);

  const followed = new (observableClassOf(target))((subscriber) => {
    const isFirst = subscriptions++ === 0;
    const current = isFirst ? span : recorder.reopen(span, input);
    if (isFirst) recorder.resume(span);
    const gathered = new StreamGatherer(current, 'observable');
    gathered.isAtOnce = true;
    const enterCallers = captureContext();
    const observer = withMembers(subscriber, {
      overrides: {
        next(value) {
          if (subscriber.closed !== true) gathered.add(value);
          enterCallers(() => {
            subscriber.next(value);
          });
        },
        error(error) {
          gathered.fail(error);
          enterCallers(() => {
            subscriber.error(error);
          });
        },
        complete() {
          // A source that emits at once completes even for a subscriber that left on the way.
          if (subscriber.closed === true) gathered.cancel();
          else gathered.succeed();
          enterCallers(() => {
            subscriber.complete();
          });
        },
      },
    });
    const unsubscribe = current.run(() => subscribeTo(enteringEach(target, captureContext()), observer));
    gathered.isAtOnce = false;
    return () => {
      gathered.cancel();
      unsubscribe();
    };
  });
  const subscribe = (...args: unknown[]): unknown => followed.subscribe(...args);
  return withMembers(target, { overrides: { subscribe }, onProxy: DERIVING });
}
