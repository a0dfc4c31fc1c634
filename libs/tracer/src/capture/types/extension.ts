import {
  type ByteClass,
  classTraits,
  hasExtraNames,
  hasSymbolData,
  subclassName,
  type WireExtension,
} from '@dacapo/protocol';
import { isDeepStrictEqual, types } from 'node:util';
import type { Walk } from '../walk/walk.js';

/**
 * Describes how an object extends its platform type: by a subclass, by own properties or by private fields. Records cannot contain
 * these, so the object cannot be restored.
 *
 * @param type the name of the platform class
 */
export function describeExtension(value: object, type: string, walk: Walk): WireExtension {
  const prototype = Object.getPrototypeOf(value) as object;
  const subclass = subclassName(prototype, type);
  const hidden = classTraits(prototype).holdsPrivate || hasOwnProperties(value);
  if (subclass !== undefined || hidden) walk.lost();
  return { ...(subclass !== undefined && { class: subclass }), ...(hidden && { hidden: true as const }) };
}

/** Returns the note of a type: only its name, unless the object extends the type. */
export function extended<T extends string>(
  type: T,
  extension: WireExtension,
): T | ({ type: T } & WireExtension) {
  return extension.class === undefined && extension.hidden === undefined ? type : { type, ...extension };
}

/** Whether an object has enumerable properties in addition to items or characters. */
function hasOwnProperties(value: object): boolean {
  if (hasSymbolData(value)) return true;
  if (types.isTypedArray(value)) return !isDeepStrictEqual(value, sameBytes(value));
  if (Array.isArray(value)) return hasExtraNames(value, value.length);
  if (types.isStringObject(value))
    return Object.keys(value).length > String.prototype.valueOf.call(value).length;
  // Usually there are none, and a loop finds that in a tenth of the time of listing them.
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}

/** Returns the same bytes without extra properties. Listing the properties of a typed array would include its indices. */
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
