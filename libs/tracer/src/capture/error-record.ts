import type { ErrorRecord } from '@dacapo/protocol';
import { dataProperty } from './walk/own-data.js';

const MESSAGE_LENGTH = 16 * 1024;
const STACK_LENGTH = 16 * 1024;
const NAME_LENGTH = 200;
const CAUSES_KEPT = 8;

/** What was thrown, as it is recorded. Never throws; runs no getter but that of a `stack`. */
export function errorRecordOf(thrown: unknown, depth = 0): ErrorRecord {
  try {
    return typeof thrown === 'object' && thrown !== null ? ofObject(thrown, depth) : ofPrimitive(thrown);
  } catch {
    return { name: 'Unreadable', message: 'What was thrown could not be read.' };
  }
}

function ofPrimitive(thrown: unknown): ErrorRecord {
  return { name: typeof thrown, message: String(thrown).slice(0, MESSAGE_LENGTH) };
}

function ofObject(thrown: object, depth: number): ErrorRecord {
  const name = dataProperty(thrown, 'name');
  const message = dataProperty(thrown, 'message');
  const stack: unknown = Reflect.get(thrown, 'stack');
  const code = dataProperty(thrown, 'code');
  const cause = Object.hasOwn(thrown, 'cause') ? dataProperty(thrown, 'cause') : undefined;
  return {
    name: typeof name === 'string' ? name.slice(0, NAME_LENGTH) : 'Object',
    message: typeof message === 'string' ? message.slice(0, MESSAGE_LENGTH) : '',
    ...(typeof stack === 'string' && { stack: stack.slice(0, STACK_LENGTH) }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(cause !== undefined && depth < CAUSES_KEPT && { cause: errorRecordOf(cause, depth + 1) }),
  };
}
