import { EventEmitter, errorMonitor } from 'node:events';
import type { ActiveSpan } from '../active-span.js';
import type { NodeReadableLike } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

/**
 * Follows a Node stream by listening beside its consumer; the caller keeps the very object.
 *
 * The `data` listener is added as EventEmitter adds it: the stream's own `on('data')` would start the flow.
 * `errorMonitor` sees an error without handling it.
 */
export function trackNodeReadable(span: ActiveSpan, target: NodeReadableLike): NodeReadableLike {
  if (target.destroyed || (target as { readableEnded?: boolean }).readableEnded === true) {
    span.succeed(target);
    return target;
  }
  const gathered = new StreamGatherer(span, 'node-readable');
  EventEmitter.prototype.on.call(target, 'data', (chunk: unknown) => {
    gathered.add(chunk);
  });
  target.once('end', () => {
    gathered.succeed();
  });
  target.once(errorMonitor, (error: unknown) => {
    gathered.fail(error);
  });
  target.once('close', () => {
    gathered.cancel();
  });
  return target;
}
