import type { ErrorRecord } from '../records/span.js';

const CLASSES = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;

/** An error to be filled by `fillError`: of the platform's class of that name, else an `Error`. */
export function newError(className: string): Error {
  if (className === 'AggregateError') return new AggregateError([]);
  const name = Object.hasOwn(CLASSES, className) ? className : 'Error';
  return new CLASSES[name as keyof typeof CLASSES]();
}

/** Gives an error what was recorded of it; what is not enumerable on errors is not here either. */
export function fillError(error: Error, properties: Iterable<readonly [string, unknown]>): void {
  for (const [key, value] of properties) {
    if (key === 'name' && error.name === value) continue;
    Object.defineProperty(error, key, {
      value,
      enumerable: !['name', 'message', 'cause', 'errors'].includes(key),
      configurable: true,
      writable: true,
    });
  }
}

/**
 * What was thrown, made again from its record: an error of the platform's class of that name, else an `Error` that bears
 * the name, with the recorded stack. A class of the application is not made again; what was no error is itself.
 */
export function decodeThrown(record: ErrorRecord): unknown {
  const primitive = record.stack === undefined ? PRIMITIVES[record.name] : undefined;
  return primitive === undefined ? decodeError(record) : primitive(record.message);
}

/** By what `typeof` says, which is the recorded name of a thrown value that is no object. */
const PRIMITIVES: Partial<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  number: Number,
  bigint: BigInt,
  boolean: (text) => text === 'true',
  undefined: () => undefined,
  object: () => null,
};

function decodeError(record: ErrorRecord): Error {
  const { name, message, stack, code, cause, errors } = record;
  const error = newError(name);
  fillError(
    error,
    Object.entries({
      name,
      message,
      ...(code !== undefined && { code }),
      ...(cause !== undefined && { cause: decodeThrown(cause) }),
      ...(errors !== undefined && { errors: errors.map(decodeThrown) }),
    }),
  );
  if (stack !== undefined)
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  return error;
}
