import type { TracerLogger } from '../../diagnostics/logger.js';
import { InvalidOptionError } from '../../errors.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import type { AnyFunction } from '../../recording/span-definition.js';
import { findBamlPackage } from './load-baml.js';
import type { BamlPackage, BamlStream } from './baml-types.js';
import { withCollector } from './call-options.js';
import { CallRecording } from './call-recording.js';
import { type ClientMethod, findClientMethod } from './client-method.js';
import { trackStream } from './track-stream.js';

/**
 * The same method, called on its client with a collector of our own, so that prompt, model and usage are noted on the
 * span that is open. Where that cannot be done, the method is called as it is and one debug line says why.
 *
 * @throws InvalidOptionError when there is no function.
 */
export function wrapFrameworkMethod<F extends AnyFunction>(
  client: unknown,
  method: F,
  logger: TracerLogger,
): F {
  if (typeof method !== 'function') {
    throw new InvalidOptionError(
      'method',
      `must be a function, not ${typeof method}`,
      'Pass a method such as b.ClassifyText.',
    );
  }
  const target = findClientMethod(client, method);
  if (target === undefined) {
    logger.debug?.(client === undefined || client === null ? NO_CLIENT : UNKNOWN_METHOD);
    return new Proxy(method, {
      apply: (called, self: unknown, args) => Reflect.apply(called, self ?? client, args) as unknown,
    });
  }
  const findPackage = once(() => {
    const found = findBamlPackage(target.owner);
    if (found === undefined) logger.debug?.(NO_PACKAGE);
    return found;
  });
  return new Proxy(method, {
    apply: (called, _self, args: unknown[]) => callRecorded(target, called, args, findPackage),
  });
}

function callRecorded(
  { owner, isStream }: ClientMethod,
  method: AnyFunction,
  args: unknown[],
  findPackage: () => BamlPackage | undefined,
): unknown {
  const span = currentRecordingFrame()?.span;
  const baml = span?.isRecording === true ? findPackage() : undefined;
  if (span === undefined || baml === undefined) return call(method, owner, args);

  const collector = new baml.Collector();
  const recording = new CallRecording(span, collector);
  let result: unknown;
  try {
    result = call(method, owner, withCollector(owner, method, args, collector));
  } catch (error) {
    recording.end();
    throw error;
  }
  if (isStream) return trackStream(result as BamlStream, recording);
  if (!isPromise(result)) {
    recording.end();
    return result;
  }
  return result.finally(() => {
    recording.end();
  });
}

function call(method: AnyFunction, self: unknown, args: unknown[]): unknown {
  return Reflect.apply(method as unknown as (...all: unknown[]) => unknown, self, args);
}

function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).finally === 'function'
  );
}

function once<T>(find: () => T): () => T {
  let found: { value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

const NO_CLIENT =
  'wrapFramework was given no client: the method is called directly. Pass frameworkClient to the Tracer, or the client as the first argument.';
const UNKNOWN_METHOD =
  'wrapFramework does not know this function as a method of the client: it is called directly. Pass the method itself, such as b.ClassifyText.';
const NO_PACKAGE =
  'wrapFramework found no copy of @boundaryml/baml that the client uses: its methods are called directly. Run: npm install @boundaryml/baml';
