import { types } from 'node:util';
import type { TracerLogger } from '../../diagnostics/logger.js';
import { InvalidOptionError } from '../../errors.js';
import { currentRecordingFrame } from '../../recording/recording-frame.js';
import { type AnyFunction, RECORDED_ARGUMENTS } from '../../recording/span-definition.js';
import { findBamlPackage } from './load-baml.js';
import type { BamlPackage, BamlStream } from './baml-types.js';
import { withCollector, withoutObservers } from './call-options.js';
import { CallRecording } from './call-recording.js';
import { type ClientMethod, findClientMethod } from './client-method.js';
import { trackStream } from './track-stream.js';

/**
 * Wraps a method so that it is called on its client with our collector, which notes prompt, model and usage on the open span. If that is
 * impossible, the method is called unchanged, and one debug line says why.
 *
 * @throws InvalidOptionError when `method` is not a function
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
    const hasClient = client !== undefined && client !== null;
    logger.debug?.(hasClient ? UNKNOWN_METHOD : NO_CLIENT);
    const isHelpless = !hasClient && needsClient(method);
    return new Proxy(method, {
      apply(called, self: unknown, args) {
        if (isHelpless && (self === undefined || self === null)) return refuse(called);
        return Reflect.apply(called, self ?? client, args) as unknown;
      },
    });
  }
  const findPackage = once(() => {
    const found = findBamlPackage(target.owner);
    if (found === undefined) logger.debug?.(NO_PACKAGE);
    return found;
  });
  return new Proxy(method, {
    apply: (called, _self, args: unknown[]) => callRecorded(target, called, args, findPackage),
    get: (called, name): unknown =>
      name === RECORDED_ARGUMENTS
        ? (args: readonly unknown[]) => withoutObservers(called, args)
        : Reflect.get(called, name),
  });
}

/** Whether it is a method of any generated client: their methods read this field. */
function needsClient(method: AnyFunction): boolean {
  return /\bthis\.bamlOptions\b/.test(Function.prototype.toString.call(method));
}

/** Fails in the same way as the method: by a throw or a rejection. */
function refuse(method: AnyFunction): unknown {
  const error = new InvalidOptionError(
    'frameworkClient',
    `is missing, and ${method.name} is a method that needs its client`,
    'Pass it to the Tracer, or call wrapFramework(b, b.ClassifyText).',
  );
  if (types.isAsyncFunction(method)) return Promise.reject(error);
  throw error;
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
  'wrapFramework has no client, so it calls the method directly. Pass frameworkClient to the Tracer, or the client as the first argument.';
const UNKNOWN_METHOD =
  'wrapFramework found no such method on the client, so it calls the function directly. Pass the method itself, such as b.ClassifyText.';
const NO_PACKAGE =
  'wrapFramework found no @boundaryml/baml that the client uses, so it calls its methods directly. Run: npm install @boundaryml/baml';
