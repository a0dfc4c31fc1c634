import { types } from 'node:util';
import { platformProperty } from '../walk/own-data.js';
import type { Walk } from '../walk/walk.js';
import { classTraits } from './class-traits.js';

const OWN = ['cause', 'errors', 'code'] as const;

/** Errors as an object of name, message, cause, errors, code and their own data; the stack is of the process, not of the value. */
export function writeError(value: object, node: number, walk: Walk): boolean {
  if (!isError(value)) return false;
  const { name } = classTraits(Object.getPrototypeOf(value) as object);
  walk.note(node, { type: 'Error', class: name });
  walk.record(errorProperties(value), value, node);
  return true;
}

/** Of this realm or another; DOMException counts. */
export function isError(value: object): boolean {
  return types.isNativeError(value) || value instanceof Error;
}

function* errorProperties(value: object): Iterable<[string, unknown]> {
  const name = platformProperty(value, 'name');
  const message = platformProperty(value, 'message');
  yield ['name', typeof name === 'string' ? name : 'Error'];
  yield ['message', typeof message === 'string' ? message : ''];
  for (const key of OWN) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor !== undefined && 'value' in descriptor) yield [key, descriptor.value];
  }
}
