import { type ErrorRecord, type FieldMeta, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { MASKED } from './redaction/token.js';
import { classTraits } from './types/class-traits.js';
import { isError } from './types/errors.js';
import { platformProperty } from './walk/own-data.js';

const MESSAGE_LENGTH = 16 * 1024;
const STACK_LENGTH = 16 * 1024;
const LABEL_LENGTH = 200;
const CAUSES_KEPT = 8;
/** Of all AggregateErrors in one record: what failed to connect is often the cause of what was thrown. */
const ERRORS_KEPT = 16;

/** The text of a thrown object that has no message. */
type Describe = (thrown: object) => { readonly json: string; readonly meta?: FieldMeta | undefined };

interface Reading {
  readonly describe: Describe;
  readonly depth: number;
  readonly members: { left: number };
}

/**
 * What was thrown, as it is recorded: of this realm or another, an error or not. Never throws.
 *
 * Its name, message, stack, code and cause are read as anyone who catches it would read them, getters included.
 */
export function errorRecordOf(thrown: unknown, describe: Describe): ErrorRecord {
  return read(thrown, { describe, depth: 0, members: { left: ERRORS_KEPT } });
}

function read(thrown: unknown, reading: Reading): ErrorRecord {
  try {
    if (typeof thrown === 'object' && thrown !== null) return recordOfObject(thrown, reading);
    const message = String(thrown);
    return {
      ...{ name: typeof thrown, message: message.slice(0, MESSAGE_LENGTH) },
      ...(message.length > MESSAGE_LENGTH && { cut: true as const }),
    };
  } catch {
    return { name: 'Unreadable', message: 'What was thrown could not be read.' };
  }
}

/** What redaction left of a record, as one: parts that have no place in it now are masked or left out. */
export function mendErrorRecord(left: JsonValue): ErrorRecord {
  const { name, message, stack, code, cause, errors, cut } = isJsonObject(left) ? left : {};
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : MASKED,
    ...(typeof stack === 'string' && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && { cause: mendErrorRecord(cause) }),
    ...(Array.isArray(errors) && { errors: errors.map(mendErrorRecord) }),
    ...(cut === true && { cut }),
  };
}

/** The name and code of a record and of what caused it; of messages and stacks nothing. */
export function withoutTexts({ name, message, code, cause, errors, cut }: ErrorRecord): ErrorRecord {
  return {
    name,
    message: '',
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: withoutTexts(cause) }),
    ...(errors !== undefined && { errors: errors.map(withoutTexts) }),
    ...((cut === true || message !== '') && { cut: true as const }),
  };
}

function recordOfObject(thrown: object, reading: Reading): ErrorRecord {
  const { describe, depth, members } = reading;
  const given = platformProperty(thrown, 'message');
  const stack = platformProperty(thrown, 'stack');
  const code = platformProperty(thrown, 'code');
  const cause = platformProperty(thrown, 'cause');
  const errors = platformProperty(thrown, 'errors');
  const name = nameOf(thrown);
  const described = typeof given === 'string' ? { json: given } : describe(thrown);
  const message = described.json;
  const gathered = isError(thrown) && Array.isArray(errors) ? errors : undefined;
  const isDeep = depth >= CAUSES_KEPT;
  const kept = isDeep ? undefined : gathered?.slice(0, members.left);
  members.left -= kept?.length ?? 0;
  const nested = (value: unknown): ErrorRecord => read(value, { describe, depth: depth + 1, members });
  const isCut =
    ('meta' in described && described.meta?.truncated !== undefined) ||
    message.length > MESSAGE_LENGTH ||
    name.length > LABEL_LENGTH ||
    (typeof code === 'string' && code.length > LABEL_LENGTH) ||
    (isDeep && cause !== undefined) ||
    (gathered !== undefined && gathered.length > (kept?.length ?? 0));
  return {
    ...{ name: name.slice(0, LABEL_LENGTH), message: message.slice(0, MESSAGE_LENGTH) },
    ...(typeof stack === 'string' && { stack: stack.slice(0, STACK_LENGTH) }),
    ...((typeof code === 'string' || Number.isFinite(code)) && { code: shortCode(code as string | number) }),
    ...(cause !== undefined && !isDeep && { cause: nested(cause) }),
    ...(kept !== undefined && { errors: kept.map(nested) }),
    ...(isCut && { cut: true as const }),
  };
}

function nameOf(thrown: object): string {
  const name = platformProperty(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const prototype = Reflect.getPrototypeOf(thrown);
  return (prototype !== null && classTraits(prototype).name) || 'Object';
}

function shortCode(code: string | number): string | number {
  return typeof code === 'string' ? code.slice(0, LABEL_LENGTH) : code;
}
