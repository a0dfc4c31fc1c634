import { type ErrorRecord, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { MASKED } from './redaction/token.js';
import { classTraits } from './types/class-traits.js';
import { isError } from './types/errors.js';
import { platformProperty } from './walk/own-data.js';

const MESSAGE_LENGTH = 16 * 1024;
const STACK_LENGTH = 16 * 1024;
const LABEL_LENGTH = 200;
const CAUSES_KEPT = 8;
const ERRORS_KEPT = 16;

/**
 * What was thrown, as it is recorded: of this realm or another, an error or not. Never throws.
 *
 * Its name, message, stack, code and cause are read as anyone who catches it would read them, getters included.
 *
 * @param describe the text of a thrown object that has no message
 */
export function errorRecordOf(thrown: unknown, describe: (thrown: object) => string, depth = 0): ErrorRecord {
  try {
    if (typeof thrown === 'object' && thrown !== null) return recordOfObject(thrown, describe, depth);
    return { name: typeof thrown, message: String(thrown).slice(0, MESSAGE_LENGTH) };
  } catch {
    return { name: 'Unreadable', message: 'What was thrown could not be read.' };
  }
}

/** What redaction left of a record, as one: parts that have no place in it now are masked or left out. */
export function mendErrorRecord(left: JsonValue): ErrorRecord {
  const { name, message, stack, code, cause, errors } = isJsonObject(left) ? left : {};
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : MASKED,
    ...(typeof stack === 'string' && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && { cause: mendErrorRecord(cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(mendErrorRecord) }),
  };
}

/** The name and code of a record and of what caused it; of messages and stacks nothing. */
export function withoutTexts({ name, code, cause, errors }: ErrorRecord): ErrorRecord {
  return {
    name,
    message: '',
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: withoutTexts(cause) }),
    ...(errors !== undefined && { errors: errors.map(withoutTexts) }),
  };
}

function recordOfObject(thrown: object, describe: (thrown: object) => string, depth: number): ErrorRecord {
  const message = platformProperty(thrown, 'message');
  const stack = platformProperty(thrown, 'stack');
  const code = platformProperty(thrown, 'code');
  const cause = platformProperty(thrown, 'cause');
  const errors = platformProperty(thrown, 'errors');
  const nested = (value: unknown): ErrorRecord => errorRecordOf(value, describe, depth + 1);
  return {
    name: nameOf(thrown),
    message: (typeof message === 'string' ? message : describe(thrown)).slice(0, MESSAGE_LENGTH),
    ...(typeof stack === 'string' && { stack: stack.slice(0, STACK_LENGTH) }),
    ...((typeof code === 'string' || Number.isFinite(code)) && { code: shortCode(code as string | number) }),
    ...(cause !== undefined && depth < CAUSES_KEPT && { cause: nested(cause) }),
    ...(depth === 0 &&
      isError(thrown) &&
      Array.isArray(errors) && { errors: errors.slice(0, ERRORS_KEPT).map(nested) }),
  };
}

function nameOf(thrown: object): string {
  const name = platformProperty(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name.slice(0, LABEL_LENGTH);
  const prototype = Reflect.getPrototypeOf(thrown);
  return (prototype !== null && classTraits(prototype).name) || 'Object';
}

function shortCode(code: string | number): string | number {
  return typeof code === 'string' ? code.slice(0, LABEL_LENGTH) : code;
}
