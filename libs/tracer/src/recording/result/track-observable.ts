import { captureContext } from '../../context/bind.js';
import type { RxjsCopy, Subscriber } from '../../context/observables/rxjs-copy.js';
import { holdSubscribersContext } from '../../context/observables/subscribe-wrapper.js';
import { keepFrame } from '../../context/observables/subscriber-context.js';
import type { ActiveSpan } from '../active-span.js';
import { withMembers } from './member-proxy.js';
import type { ObservableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

const { observable: OBSERVABLE = '@@observable' } = Symbol as { observable?: symbol };

/** Methods that derive another Observable, which must subscribe to the followed one. */
const DERIVING: ReadonlySet<string | symbol> = new Set([
  'pipe',
  'lift',
  'forEach',
  'toPromise',
  'asObservable',
  '@@observable',
  OBSERVABLE,
]);

/** What RxJS calls once it has made sure that a subscriber is open; those of the class hand on to the next subscriber. */
interface SubscriberHooks {
  _next?(value: unknown): void;
  _error?(error: unknown): void;
  _complete?(): void;
}

/**
 * Follows an Observable: each subscription is a span.
 *
 * `pipe` and the operators use the followed object, so a derived Observable subscribes to it as well. The source's operators run inside
 * the span, and the subscriber receives items in the context of its subscription.
 */
export function trackObservable(span: ActiveSpan, target: ObservableLike, copy: RxjsCopy): object {
  const { recorder } = span.start;
  const { input } = span;
  let subscriptions = 0;
  recorder.suspend(span);
  holdSubscribersContext(recorder, copy);

  const followed = new copy.Observable((subscriber) => {
    const isFirst = subscriptions++ === 0;
    const current = isFirst ? span : recorder.reopen(span, input);
    if (isFirst) recorder.resume(span);
    const gathered = new StreamGatherer(current, 'observable');
    gathered.isAtOnce = true;
    const step = recordingStep(gathered, subscriber, copy);
    keepFrame(step, current);
    current.run(() => target.subscribe(step));
    gathered.isAtOnce = false;
    return () => {
      gathered.cancel();
    };
  });
  const subscribe = (...args: unknown[]): unknown => followed.subscribe(...args);
  return withMembers(target, { overrides: { subscribe }, onProxy: DERIVING });
}

/** Stands between the source and a subscriber, as an operator does: it closes with the subscriber, which stops the source. */
function recordingStep(gathered: StreamGatherer, subscriber: Subscriber, copy: RxjsCopy): Subscriber {
  const enterCallers = captureContext();
  const { _next, _error, _complete } = copy.Subscriber.prototype as Required<SubscriberHooks>;
  const step: Subscriber & SubscriberHooks = new copy.Subscriber(subscriber);
  step._next = (value) => {
    gathered.add(value);
    enterCallers(() => {
      _next.call(step, value);
    });
  };
  step._error = (error) => {
    gathered.fail(error);
    enterCallers(() => {
      _error.call(step, error);
    });
  };
  step._complete = () => {
    gathered.succeed();
    enterCallers(() => {
      _complete.call(step);
    });
  };
  return step;
}
