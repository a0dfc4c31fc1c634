import { findRxjsCopy } from '../../context/observables/rxjs-copy.js';
import type { ActiveSpan } from '../active-span.js';
import { isReplaceable } from './member-proxy.js';
import {
  ENDS_SPAN,
  isAsyncIterable,
  isConnection,
  isGenerator,
  isNodeReadable,
  isObservable,
  isPlainData,
  isPlainPromise,
  isReadableStream,
  isSelfEnding,
  isThenable,
} from './result-kinds.js';
import { trackAsyncIterable } from './track-async-iterable.js';
import { isEventStream, trackEventStream } from './track-event-stream.js';
import { trackGenerator } from './track-generator.js';
import { trackNodeReadable } from './track-node-readable.js';
import { trackObservable } from './track-observable.js';
import { isIrreplaceable, trackReadableStream } from './track-readable-stream.js';
import { trackThenable } from './track-thenable.js';

/**
 * Ends `span` when `result` is complete, whatever its kind, and returns what the caller would have received.
 *
 * A value stays the same value. A plain promise becomes a promise of the same value. An object with more than that
 * (a promise with methods, a stream object) keeps all its members. Nothing is consumed, subscribed to or awaited
 * that the caller does not consume, subscribe to or await.
 */
export function observeResult(span: ActiveSpan, result: unknown): unknown {
  if (span.isOver) return result;
  if (typeof result !== 'object' || result === null) {
    span.succeed(result);
    return result;
  }
  if (isPlainPromise(result)) return observePromise(span, result);
  try {
    const track = findTracker(result);
    if (track !== undefined) return track(span);
  } catch (error) {
    span.start.recorder.failed('following a result', error);
  }
  span.succeed(result);
  return result;
}

/** Ends `span` with a plain promise. */
export function observePromise(span: ActiveSpan, promise: Promise<unknown>): Promise<unknown> {
  span.isSync = false;
  if (span.filesRead !== undefined) return observeWhenRead(span, promise, span.filesRead);
  return promise.then(
    (value) => observeResult(span, value),
    (error: unknown) => {
      span.fail(error);
      throw error;
    },
  );
}

/** The record needs the bytes of files among the arguments, which are read while the function runs. */
function observeWhenRead(
  span: ActiveSpan,
  promise: Promise<unknown>,
  filesRead: Promise<unknown>,
): Promise<unknown> {
  return promise.then(
    (value) => filesRead.then(() => observeResult(span, value)),
    (error: unknown) =>
      filesRead.then(() => {
        span.fail(error);
        throw error;
      }),
  );
}

function findTracker(result: object): ((span: ActiveSpan) => unknown) | undefined {
  if (Array.isArray(result) || isPlainData(result)) return undefined;
  if (isSelfEnding(result)) {
    return (span) => {
      result[ENDS_SPAN](span);
      return result;
    };
  }
  if (isThenable(result)) {
    return isReplaceable(result, 'then') ? (span) => trackThenable(span, result, observeResult) : undefined;
  }
  if (isGenerator(result)) return (span) => trackGenerator(span, result);
  if (isReadableStream(result)) {
    return isIrreplaceable(result) ? undefined : (span) => trackReadableStream(span, result);
  }
  if (isConnection(result)) return undefined;
  if (isNodeReadable(result)) return (span) => trackNodeReadable(span, result);
  if (isEventStream(result)) return (span) => trackEventStream(span, result);
  if (isAsyncIterable(result)) {
    return isReplaceable(result, Symbol.asyncIterator)
      ? (span) => trackAsyncIterable(span, result)
      : undefined;
  }
  if (!isObservable(result)) return undefined;
  const copy = findRxjsCopy(result);
  return copy && ((span) => trackObservable(span, result, copy));
}
