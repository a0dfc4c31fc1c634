import {
  type ByteClass,
  classTraits,
  hasNamesBesideItems,
  hasSymbolData,
  subclassName,
  type ValueNode,
} from '@dacapo/protocol';

/** Other realms have classes of their own, so `instanceof` is not enough. */
export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Whether a getter or method of the platform takes the object: it is what it says, and no Proxy of it. */
export function isOfPlatform(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** What the name of a platform type leaves open: see `Extendable` of the protocol. */
export function extension(
  value: object,
  type: string,
): { subclass: string | undefined; hidesState: boolean } {
  const prototype = Reflect.getPrototypeOf(value);
  if (prototype === null) return { subclass: '', hidesState: hasOwnProperties(value) };
  const hidesState = classTraits(prototype).holdsPrivate || hasOwnProperties(value);
  return { subclass: subclassName(prototype, type), hidesState };
}

/** Whether there are properties beside the items or characters. */
function hasOwnProperties(value: object): boolean {
  const hasItems = Array.isArray(value) || ArrayBuffer.isView(value) || tagOf(value) === 'String';
  const { length = 0 } = hasItems ? (value as { length?: number }) : {};
  return hasSymbolData(value) || hasNamesBesideItems(value, length);
}

/** The node of a buffer, a typed array or a view; `undefined` for anything else. */
export function bytesNode(value: object): ValueNode | undefined {
  const className = byteClassOf(value);
  if (className === undefined) return undefined;
  const base64 = base64Of(value as ArrayBuffer);
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

/** By the platform's own getters, which take no Proxy. */
function byteClassOf(value: object): ByteClass | undefined {
  if (ArrayBuffer.isView(value)) {
    if (nodeBuffer?.isBuffer(value)) return 'Buffer';
    return (Reflect.get(TYPED_ARRAY, Symbol.toStringTag, value) as ByteClass | undefined) ?? 'DataView';
  }
  const type = tagOf(value);
  if (type !== 'ArrayBuffer' && type !== 'SharedArrayBuffer') return undefined;
  const of = type === 'ArrayBuffer' ? ArrayBuffer : SharedArrayBuffer;
  return isOfPlatform(() => Reflect.get(of.prototype, 'byteLength', value)) ? type : undefined;
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

function base64Of(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return btoa(Array.from(view, (byte) => String.fromCharCode(byte)).join(''));
}
