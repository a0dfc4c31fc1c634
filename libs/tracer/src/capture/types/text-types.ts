import { types } from 'node:util';
import type { Walk } from '../walk/walk.js';
import { classTraits } from './class-traits.js';
import { noteProperties } from './collections.js';

/** Types that read best as one text: dates, regular expressions, URLs, boxed primitives. */
export function writeTextType(value: object, node: number, walk: Walk): boolean {
  if (types.isDate(value)) return writeDate(value, node, walk);
  if (types.isRegExp(value)) return writeRegExp(value, node, walk);
  if (types.isBoxedPrimitive(value)) return writeBoxed(value, node, walk);
  return writeUrl(value, node, walk);
}

function writeDate(value: Date, node: number, walk: Walk): boolean {
  const time = Date.prototype.getTime.call(value);
  walk.note(node, 'Date');
  noteProperties(value, node, walk);
  walk.json(Number.isNaN(time) ? 'null' : `"${new Date(time).toISOString()}"`);
  return true;
}

function writeRegExp(value: RegExp, node: number, walk: Walk): boolean {
  const { source, flags, lastIndex } = value;
  walk.note(node, lastIndex === 0 ? 'RegExp' : { type: 'RegExp', lastIndex });
  noteProperties(value, node, walk);
  walk.string(`/${source}/${flags}`, node);
  return true;
}

function writeBoxed(value: object, node: number, walk: Walk): boolean {
  walk.standIn({ value: unbox(value), note: { type: 'boxed' } }, node);
  return true;
}

function unbox(value: object): unknown {
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (types.isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
  return Symbol.prototype.valueOf.call(value as unknown as symbol);
}

function writeUrl(value: object, node: number, walk: Walk): boolean {
  const { name, members } = classTraits(Object.getPrototypeOf(value) as object);
  if (name === 'URL' && members.has('searchParams')) {
    walk.note(node, 'URL');
    walk.string((value as URL).href, node);
    return true;
  }
  if (name === 'URLSearchParams' && members.has('getAll')) {
    walk.note(node, 'URLSearchParams');
    walk.string(URLSearchParams.prototype.toString.call(value), node);
    return true;
  }
  return false;
}
