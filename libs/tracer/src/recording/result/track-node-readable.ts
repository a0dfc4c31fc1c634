import type { ActiveSpan } from '../active-span.js';
import type { NodeReadableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

type Emit = (name: string | symbol, ...args: unknown[]) => boolean;

/**
 * Follows a Node stream by hearing what it emits, until it is done; the caller keeps the very object.
 *
 * A listener of ours would be counted: it starts the flow of a stream that its host has paused or reads by `readable`.
 */
export function trackNodeReadable(span: ActiveSpan, target: NodeReadableLike): NodeReadableLike {
  if (target.destroyed || (target as { readableEnded?: boolean }).readableEnded === true) {
    span.succeed(target);
    return target;
  }
  const gathered = new StreamGatherer(span, 'node-readable');
  const stop = hearEmitted(target, (name, argument) => {
    if (name === 'data') gathered.add(argument);
    else if (name === 'end') gathered.succeed();
    else if (name === 'error') gathered.fail(argument);
    else if (name === 'close') gathered.cancel();
    if (name === 'end' || name === 'error' || name === 'close') stop();
  });
  return target;
}

function hearEmitted(
  target: NodeReadableLike,
  hear: (name: string | symbol, argument: unknown) => void,
): () => void {
  const before = Reflect.getOwnPropertyDescriptor(target, 'emit');
  const emit: unknown = Reflect.get(target, 'emit');
  const heard: Emit = function (this: unknown, ...event) {
    hear(event[0], event[1]);
    return Reflect.apply(emit as Emit, this, event);
  };
  Object.defineProperty(target, 'emit', {
    value: heard,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return () => {
    if (Reflect.getOwnPropertyDescriptor(target, 'emit')?.value !== heard) return;
    if (before === undefined) Reflect.deleteProperty(target, 'emit');
    else Object.defineProperty(target, 'emit', before);
  };
}
