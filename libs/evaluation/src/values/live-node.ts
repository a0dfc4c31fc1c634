import { type ByteClass, type Entry, once, type ValueNode } from '@dacapo/protocol';

/**
 * A value of this process as the node that it would be recorded as, so that outputs and expected values compare by the one
 * equality. Read when it is asked for: do not change the value meanwhile. Never throws; what cannot be read is
 * opaque, and compares as `unknown`.
 */
export function nodeOf(value: unknown): ValueNode {
  return new LiveReader().read(value);
}

const TYPED = { isPlain: false } as const;

class LiveReader {
  /** The same object is one node, so that there may be cycles. */
  readonly #known = new Map<object, ValueNode>();

  readonly read = (value: unknown): ValueNode => {
    switch (typeof value) {
      case 'string':
        return { kind: 'string', value, cut: undefined, json: value, isPlain: true };
      case 'boolean':
        return { kind: 'boolean', value, json: value, isPlain: true };
      case 'number': {
        const isPlain = Number.isFinite(value) && !Object.is(value, -0);
        return { kind: 'number', value, json: isPlain ? value : String(value), isPlain };
      }
      case 'bigint':
        return { kind: 'bigint', value, json: String(value), ...TYPED };
      case 'undefined':
        return { kind: 'undefined', count: 1, isHole: false, json: null, ...TYPED };
      case 'symbol':
        return symbolNode(value);
      case 'function':
        return opaque('Function');
      case 'object':
        if (value === null) return { kind: 'null', json: null, isPlain: true };
    }
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const node = this.#object(value);
    this.#known.set(value, node);
    return node;
  };

  #object(value: object): ValueNode {
    try {
      return this.#typed(value);
    } catch {
      return opaque('Unreadable');
    }
  }

  #typed(value: object): ValueNode {
    const name = classNameOf(value);
    const container = { cut: undefined, json: null, ...TYPED };
    if (Array.isArray(value)) return { kind: 'array', items: once(() => this.#items(value)), ...container };
    if (value instanceof Map || tagOf(value) === 'Map') {
      const map = value as Map<unknown, unknown>;
      const pairs = once(() => Array.from(map, ([key, item]) => [this.read(key), this.read(item)] as const));
      return { kind: 'map', className: name === 'Map' ? undefined : name, pairs, ...container };
    }
    if (value instanceof Set || tagOf(value) === 'Set') {
      const items = once(() => Array.from(value as Set<unknown>, this.read));
      return { kind: 'set', className: name === 'Set' ? undefined : name, items, ...container };
    }
    if (value instanceof Error || tagOf(value) === 'Error') {
      const entries = once(() =>
        this.#entries(value, [
          ...ERROR_FACTS.filter((fact) => fact in value),
          ...Object.keys(value).filter((key) => !ERROR_FACTS.includes(key)),
        ]),
      );
      return { kind: 'error', className: name, hidesState: false, entries, ...container };
    }
    if (ArrayBuffer.isView(value) || /^(Shared)?ArrayBuffer$/.test(tagOf(value)))
      return {
        kind: 'bytes',
        className: name as ByteClass,
        base64: base64Of(value as ArrayBuffer),
        ...container,
      };
    const scalar = this.#scalar(value);
    if (scalar !== undefined) return scalar;
    const entries = once(() => this.#entries(value, Object.keys(value)));
    const prototype = Reflect.getPrototypeOf(value);
    if (prototype === null || Reflect.getPrototypeOf(prototype) === null)
      return { kind: 'object', hasPrototype: prototype !== null, entries, ...container };
    return {
      kind: 'class',
      className: name,
      hasMethods: false,
      hidesState: false,
      pointer: '',
      entries,
      ...container,
    };
  }

  #scalar(value: object): ValueNode | undefined {
    switch (tagOf(value)) {
      case 'Date': {
        const time = (value as Date).getTime();
        const json = Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
        return { kind: 'date', time, json, ...TYPED };
      }
      case 'RegExp': {
        const { source, flags, lastIndex } = value as RegExp;
        return { kind: 'regexp', source, flags, lastIndex, json: `/${source}/${flags}`, ...TYPED };
      }
      case 'URL':
      case 'URLSearchParams': {
        const text = (value as URL).toString();
        const className = tagOf(value) as 'URL' | 'URLSearchParams';
        return { kind: 'url', className, of: this.read(text), json: text, ...TYPED };
      }
      case 'String':
      case 'Number':
      case 'Boolean':
      case 'BigInt':
        return { kind: 'boxed', of: this.read(value.valueOf()), json: null, ...TYPED };
      case 'Promise':
      case 'WeakMap':
      case 'WeakSet':
        return opaque(tagOf(value));
    }
    return undefined;
  }

  #items(array: readonly unknown[]): ValueNode[] {
    return Array.from(array, (item, index) =>
      index in array ? this.read(item) : { kind: 'undefined', count: 1, isHole: true, json: null, ...TYPED },
    );
  }

  #entries(object: object, keys: readonly string[]): Entry[] {
    return keys.map((key): Entry => {
      try {
        return [key, this.read(Reflect.get(object, key))];
      } catch {
        return [key, opaque('Unreadable')];
      }
    });
  }
}

/** What an error need not have as a property of its own. */
const ERROR_FACTS = ['name', 'message', 'code', 'cause', 'errors'];

function opaque(className: string): ValueNode {
  return { kind: 'opaque', className, json: `[${className}]`, ...TYPED };
}

function symbolNode(symbol: symbol): ValueNode {
  const key = Symbol.keyFor(symbol);
  if (key !== undefined) return { kind: 'symbol', name: key, isWellKnown: false, json: key, ...TYPED };
  const name = Object.getOwnPropertyNames(Symbol).find((own) => Reflect.get(Symbol, own) === symbol);
  return name === undefined
    ? opaque('Symbol')
    : { kind: 'symbol', name, isWellKnown: true, json: name, ...TYPED };
}

/** Other realms have classes of their own, so `instanceof` is not enough. */
function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function classNameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' ? constructor.name : '';
}

function base64Of(bytes: ArrayBuffer | ArrayBufferView): string {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return btoa(Array.from(view, (byte) => String.fromCharCode(byte)).join(''));
}
