import type { ErrorRecord } from '@dacapo/protocol';
import { fillError, newError } from './errors.js';

/**
 * What was thrown, made again from its record: an error of the platform's class of that name, else an `Error` that bears
 * the name, with the recorded stack. A class of the application is not made again; what was no error is itself.
 */
export function reviveThrown(record: ErrorRecord): unknown {
  const revivePrimitive = record.stack === undefined ? PRIMITIVES[record.name] : undefined;
  return revivePrimitive === undefined ? reviveError(record) : revivePrimitive(record.message);
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

function reviveError(record: ErrorRecord): Error {
  const { name, message, stack, code, cause, errors } = record;
  const error = newError(name);
  fillError(
    error,
    Object.entries({
      name,
      message,
      ...(code !== undefined && { code }),
      ...(cause !== undefined && { cause: reviveThrown(cause) }),
      ...(errors !== undefined && { errors: errors.map(reviveThrown) }),
    }),
  );
  if (stack !== undefined)
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  return error;
}
