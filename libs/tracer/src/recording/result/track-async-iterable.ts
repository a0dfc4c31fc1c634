import type { ActiveSpan } from '../active-span.js';
import { followSteps, type StepFollower } from './follow-steps.js';
import { isReplaceable, type MemberOverrides, withMembers } from './member-proxy.js';
import type { AsyncIterableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

/** The replacement of an object. An object that is returned again, such as a bus or a cursor, keeps its replacement. */
const standIns = new WeakMap<object, object>();

/** Follows an object that can be iterated over once, such as a model's stream; its other members stay. */
export function trackAsyncIterable(span: ActiveSpan, target: AsyncIterableLike): object {
  const known = standIns.get(target);
  if (known !== undefined) {
    span.succeed(target);
    return known;
  }
  const standIn = withMembers(target, {
    overrides: { [Symbol.asyncIterator]: followIteration(span, target) },
  });
  standIns.set(target, standIn);
  return standIn;
}

/** The object's `Symbol.asyncIterator`, its iterators followed. */
export function followIteration(span: ActiveSpan, target: AsyncIterableLike): () => object {
  const gathered = new StreamGatherer(span, 'async-iterable');
  return () => {
    const iterator = span.run(() => target[Symbol.asyncIterator]());
    return trackIterator(span, iterator, gathered);
  };
}

function trackIterator(span: ActiveSpan, iterator: AsyncIterator<unknown>, gathered: StreamGatherer): object {
  const follower: StepFollower = {
    add: (item) => {
      gathered.add(item);
    },
    end: (isLeft) => {
      if (isLeft) gathered.cancel();
      else gathered.succeed();
    },
    fail: (error) => {
      gathered.fail(error);
    },
  };
  const overrides: MemberOverrides = {
    ...followSteps(iterator, follower, (step) => span.run(step)),
    [Symbol.asyncIterator]: function (this: unknown) {
      return this;
    },
  };
  return Reflect.ownKeys(overrides).every((name) => isReplaceable(iterator, name))
    ? withMembers(iterator, { overrides })
    : overrides;
}
