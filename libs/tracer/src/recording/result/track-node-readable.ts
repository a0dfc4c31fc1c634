import type { ActiveSpan } from '../active-span.js';
import { hearEmitted } from './hear-emitted.js';
import type { NodeReadableLike } from './result-kinds.js';
import { type StreamFollower, StreamGatherer } from './stream-gatherer.js';

/**
 * Follows a Node stream by hearing what it emits, until it is done; the caller keeps the very object.
 *
 * A listener of ours would be counted: it starts the flow of a stream that its host has paused or reads by `readable`.
 */
export function trackNodeReadable(
  span: ActiveSpan,
  target: NodeReadableLike,
  gathered: StreamFollower = new StreamGatherer(span, 'node-readable'),
): NodeReadableLike {
  if (target.destroyed || (target as { readableEnded?: boolean }).readableEnded === true) {
    span.succeed(target);
    return target;
  }
  const stop = hearEmitted(target, 'emit', (name, argument) => {
    if (name === 'data') gathered.add(argument);
    else if (name === 'end') gathered.succeed();
    else if (name === 'error') gathered.fail(argument);
    else if (name === 'close') gathered.cancel();
    if (name === 'end' || name === 'error' || name === 'close') stop();
  });
  return target;
}
