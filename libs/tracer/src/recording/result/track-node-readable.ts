import type { ActiveSpan } from '../active-span.js';
import { hearEmitted } from './hear-emitted.js';
import type { NodeReadableLike } from './result-kinds.js';
import { type StreamFollower, StreamGatherer } from './stream-gatherer.js';

/**
 * Follows a Node stream until it ends, by observing its events. The caller keeps the same object.
 *
 * A `data` listener would start the flow of a stream that the application has paused or reads by `readable`.
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
