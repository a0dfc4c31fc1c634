import {
  AGENT_RUN,
  classTraits,
  dataProperty,
  hasSymbolData,
  isHandleName,
  readClassTraits,
} from '@dacapo/protocol';
import { types } from 'node:util';
import { platformProperty } from '../walk/own-data.js';
import type { Walk } from '../walk/walk.js';

const OWN = ['cause', 'errors', 'code'] as const;
/** Members of an axios response that describe its request. */
const RESPONSE_FACTS = ['status', 'statusText', 'headers', 'data'];

/** Writes errors as objects with name, message, cause, errors, code and own data. The stack is omitted: it depends on the process. */
export function writeError(value: object, node: number, walk: Walk): boolean {
  if (!isError(value)) return false;
  const { name, holdsPrivate } = classTraits(Object.getPrototypeOf(value) as object);
  const isHidden = holdsPrivate || hasSymbolData(value);
  walk.note(node, { type: 'Error', class: name, ...(isHidden && { hidden: true as const }) });
  const leftOut = new Set<string>();
  const written: [string, unknown][] = [...errorProperties(value)];
  for (const key of Object.keys(value)) {
    const recorded = recordedDescriptor(value, key);
    if (recorded === undefined) leftOut.add(key);
    else if (recorded.value !== Object.getOwnPropertyDescriptor(value, key)?.value)
      written.push([key, recorded.value]);
  }
  walk.record(written, value, node, leftOut);
  return true;
}

/** Whether a value is an error of any realm, including DOMException. */
export function isError(value: object): boolean {
  return (
    types.isNativeError(value) ||
    value instanceof Error ||
    dataProperty(value, Symbol.toStringTag) === 'DOMException'
  );
}

function* errorProperties(value: object): Iterable<[string, unknown]> {
  const name = platformProperty(value, 'name');
  const message = platformProperty(value, 'message');
  yield ['name', typeof name === 'string' ? name : (ownData(value, 'name') ?? 'Error')];
  yield ['message', typeof message === 'string' ? message : (ownData(value, 'message') ?? '')];
  for (const key of OWN) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key);
    if (descriptor !== undefined && 'value' in descriptor) yield [key, descriptor.value];
  }
}

function ownData(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/**
 * Returns the own properties of an error to record, including non-enumerable ones. Runs no getter. Skips functions, objects that made
 * the call (such as a request), and non-enumerable private names (`_zod`).
 *
 * @param recordedApart properties that are recorded separately
 */
export function furtherProperties(error: object, recordedApart: ReadonlySet<string>): object {
  const properties = {};
  for (const key of Reflect.ownKeys(error)) {
    if (typeof key !== 'string' || recordedApart.has(key)) continue;
    const descriptor = recordedDescriptor(error, key);
    if (descriptor === undefined || (descriptor.enumerable !== true && key.startsWith('_'))) continue;
    Object.defineProperty(properties, key, { ...descriptor, enumerable: true });
  }
  return properties;
}

/** Returns `undefined` for a property that is not recorded. */
function recordedDescriptor(error: object, key: string): PropertyDescriptor | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(error, key);
  if (descriptor === undefined || !('value' in descriptor)) return descriptor;
  const value: unknown = descriptor.value;
  if (typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return descriptor;
  if (isHandleName(key) && readClassTraits(value)?.behaves === true) return undefined;
  if (key === 'state' && readClassTraits(value)?.name === AGENT_RUN) return undefined;
  if (platformProperty(error, 'isAxiosError') !== true) return descriptor;
  if (key === 'config') return undefined;
  return key === 'response' ? { ...descriptor, value: responseFacts(value) } : descriptor;
}

function responseFacts(response: object): object {
  return Object.fromEntries(
    RESPONSE_FACTS.flatMap((key): [string, unknown][] => {
      const descriptor = Object.getOwnPropertyDescriptor(response, key);
      return descriptor !== undefined && 'value' in descriptor ? [[key, descriptor.value]] : [];
    }),
  );
}
