import { classTraits } from '@dacapo/protocol';
import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { extended, describeExtension } from './extension.js';

/** Writes types that are readable as one text: dates, regular expressions, URLs, boxed primitives. */
export function writeTextType(value: object, node: number, walk: Walk): boolean {
  if (types.isDate(value)) return writeDate(value, node, walk);
  if (types.isRegExp(value)) return writeRegExp(value, node, walk);
  if (types.isBoxedPrimitive(value)) return writeBoxed(value, node, walk);
  return writeUrl(value, node, walk);
}

function writeDate(value: Date, node: number, walk: Walk): boolean {
  const time = Date.prototype.getTime.call(value);
  walk.note(node, extended('Date', describeExtension(value, 'Date', walk)));
  walk.json(Number.isNaN(time) ? 'null' : `"${new Date(time).toISOString()}"`);
  return true;
}

function writeRegExp(value: RegExp, node: number, walk: Walk): boolean {
  const { source, flags, lastIndex } = value;
  const extension = describeExtension(value, 'RegExp', walk);
  walk.note(
    node,
    lastIndex === 0 ? extended('RegExp', extension) : { type: 'RegExp', lastIndex, ...extension },
  );
  walk.string(`/${source}/${flags}`, node);
  return true;
}

function writeBoxed(value: object, node: number, walk: Walk): boolean {
  const unboxed = unbox(value);
  const type = typeof unboxed === 'bigint' ? 'BigInt' : capitalized(typeof unboxed);
  walk.standIn({ value: unboxed, note: { type: 'boxed', ...describeExtension(value, type, walk) } }, node);
  return true;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unbox(value: object): unknown {
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (types.isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
  return Symbol.prototype.valueOf.call(value as unknown as symbol);
}

function writeUrl(value: object, node: number, walk: Walk): boolean {
  if (types.isProxy(value)) return false;
  const { members } = classTraits(Object.getPrototypeOf(value) as object);
  if (members.has('searchParams') && isOfPlatform(value, 'URL')) {
    walk.note(node, extended('URL', describeExtension(value, 'URL', walk)));
    walk.string(URL.prototype.toString.call(value), node);
    return true;
  }
  if (members.has('getAll') && isOfPlatform(value, 'URLSearchParams')) {
    walk.note(node, extended('URLSearchParams', describeExtension(value, 'URLSearchParams', walk)));
    walk.string(URLSearchParams.prototype.toString.call(value), node);
    return true;
  }
  return false;
}

/** Whether an object belongs to a platform class or a subclass: only for these does the platform's own method not throw. */
function isOfPlatform(value: object, type: 'URL' | 'URLSearchParams'): boolean {
  try {
    if (type === 'URL') Reflect.get(URL.prototype, 'href', value);
    else URLSearchParams.prototype.has.call(value as URLSearchParams, '');
    return true;
  } catch {
    return false;
  }
}
