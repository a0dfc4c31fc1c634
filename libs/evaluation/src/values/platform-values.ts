import {
  type ByteClass,
  classTraits,
  hasExtraNames,
  hasSymbolData,
  subclassName,
  type ValueNode,
} from '@dacapo/protocol';

/** The type tag. Works across realms, unlike `instanceof`. */
export function typeTag(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a platform getter or method accepts the object, so that it is neither a fake nor a Proxy. */
export function isOfPlatform(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Subclass and hidden state of a platform type: see `Extendable` of the protocol. */
export function extension(
  value: object,
  type: string,
): { subclass: string | undefined; hidesState: boolean } {
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === null) return { subclass: '', hidesState: hasOwnProperties(value) };
  const hidesState = classTraits(prototype).holdsPrivate || hasOwnProperties(value);
  return { subclass: subclassName(prototype, type), hidesState };
}

/** Whether it has properties besides its items or characters. */
function hasOwnProperties(value: object): boolean {
  const hasItems = Array.isArray(value) || ArrayBuffer.isView(value) || typeTag(value) === 'String';
  const { length = 0 } = hasItems ? (value as { length?: number }) : {};
  return hasSymbolData(value) || hasExtraNames(value, length);
}

/** The node of a buffer, a typed array or a view; `undefined` for anything else. */
export function bytesNode(value: object): ValueNode | undefined {
  const className = byteClass(value);
  if (className === undefined) return undefined;
  const base64 = toBase64(value as ArrayBuffer);
  return {
    kind: 'bytes',
    className,
    base64,
    ...extension(value, className),
    cut: undefined,
    json: null,
    isPlain: false,
  };
}

/** Absent in browsers. */
const { Buffer: nodeBuffer } = globalThis as { Buffer?: { isBuffer(value: unknown): boolean } };

/** Uses the platform's getters, which reject Proxies. */
function byteClass(value: object): ByteClass | undefined {
  if (ArrayBuffer.isView(value)) {
    if (nodeBuffer?.isBuffer(value)) return 'Buffer';
    return (Reflect.get(TYPED_ARRAY, Symbol.toStringTag, value) as ByteClass | undefined) ?? 'DataView';
  }
  const type = typeTag(value);
  if (type !== 'ArrayBuffer' && type !== 'SharedArrayBuffer') return undefined;
  const of = type === 'ArrayBuffer' ? ArrayBuffer : SharedArrayBuffer;
  return isOfPlatform(() => Reflect.get(of.prototype, 'byteLength', value)) ? type : undefined;
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

function toBase64(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return btoa(Array.from(view, (byte) => String.fromCharCode(byte)).join(''));
}
