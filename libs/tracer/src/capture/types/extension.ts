import {
  type ByteClass,
  classTraits,
  hasNamesBesideItems,
  hasSymbolData,
  subclassName,
  type WireExtension,
} from '@dacapo/protocol';
import { isDeepStrictEqual, types } from 'node:util';
import type { Walk } from '../walk/walk.js';

/**
 * What a platform type leaves open of one of its objects: the class that extends it, and own properties or private fields, which have no
 * place in the record. An object with either cannot be made again.
 *
 * @param type what its own class is called
 */
export function describeExtension(value: object, type: string, walk: Walk): WireExtension {
  const prototype = Object.getPrototypeOf(value) as object;
  const subclass = subclassName(prototype, type);
  const hidden = classTraits(prototype).holdsPrivate || hasOwnProperties(value);
  if (subclass !== undefined || hidden) walk.lost();
  return { ...(subclass !== undefined && { class: subclass }), ...(hidden && { hidden: true as const }) };
}

/** A type's note: its name alone, unless an object of it has more to say. */
export function extended<T extends string>(
  type: T,
  extension: WireExtension,
): T | ({ type: T } & WireExtension) {
  return extension.class === undefined && extension.hidden === undefined ? type : { type, ...extension };
}

/** Whether there are enumerable properties beside the items or characters. */
function hasOwnProperties(value: object): boolean {
  if (hasSymbolData(value)) return true;
  if (types.isTypedArray(value)) return !isDeepStrictEqual(value, sameBytes(value));
  if (Array.isArray(value)) return hasNamesBesideItems(value, value.length);
  if (types.isStringObject(value))
    return Object.keys(value).length > String.prototype.valueOf.call(value).length;
  // Nearly always there are none: a loop asks in a tenth of the time that a list of them takes.
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/** The same bytes without properties. Listing the properties of a typed array would list its indices too. */
function sameBytes(value: NodeJS.TypedArray): object {
  const name = Reflect.get(typedArrayPrototype, Symbol.toStringTag, value) as Exclude<ByteClass, 'Buffer'>;
  const view: object = new (globalThis[name] as Uint8ArrayConstructor)(
    value.buffer as ArrayBuffer,
    value.byteOffset,
    value.length,
  );
  return Object.setPrototypeOf(view, Object.getPrototypeOf(value) as object) as object;
}

const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;
