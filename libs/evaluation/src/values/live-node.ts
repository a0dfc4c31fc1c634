import {
  classTraits,
  type Entry,
  hasSymbolData,
  hasUnrecordedData,
  isObjectPrototype,
  once,
  platformReason,
  readClassTraits,
  type ValueNode,
} from '@dacapo/protocol';
import { bytesNode, extension, isOfPlatform, typeTag } from './platform-values.js';

/**
 * Converts a live value to the node that it would be recorded as, so that all comparisons use the same equality. The value is read
 * lazily, so do not change it meanwhile. Never throws: unreadable parts are opaque and compare as `unknown`.
 */
export function toNode(value: unknown): ValueNode {
  return new LiveReader().read(value);
}

const TYPED = { isPlain: false } as const;

class LiveReader {
  /** One node per object, to support cycles. */
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
    const prototype = Reflect.getPrototypeOf(value);
    const container = { cut: undefined, json: null, ...TYPED };
    if (Array.isArray(value))
      return {
        kind: 'array',
        items: once(() => this.#items(value)),
        ...extension(value, 'Array'),
        ...(prototype === Array.prototype && { hidesState: hasUnrecordedData(value) }),
        ...container,
      };
    if (prototype === null || isObjectPrototype(prototype)) {
      const entries = once(() => this.#entries(value, Object.keys(value)));
      const hidesState = hasUnrecordedData(value);
      return { kind: 'object', hasPrototype: prototype !== null, hidesState, entries, ...container };
    }
    if (value instanceof Error || /^(?:Error|DOMException)$/.test(typeTag(value))) return this.#error(value);
    return this.#collection(value) ?? bytesNode(value) ?? this.#scalar(value) ?? this.#instance(value);
  }

  #error(error: object): ValueNode {
    const keys = ['name', 'message', ...OWN_FACTS.filter((fact) => Object.hasOwn(error, fact))];
    const rest = Object.keys(error).filter((key) => !keys.includes(key));
    const { name: className = '', holdsPrivate = false } = readClassTraits(error) ?? {};
    return {
      kind: 'error',
      className,
      hidesState: holdsPrivate || hasSymbolData(error),
      entries: once(() => this.#entries(error, [...keys, ...rest])),
      cut: undefined,
      json: null,
      ...TYPED,
    };
  }

  #collection(value: object): ValueNode | undefined {
    const type = typeTag(value);
    if (type !== 'Map' && type !== 'Set') return undefined;
    if (!isOfPlatform(() => Reflect.get(type === 'Map' ? Map.prototype : Set.prototype, 'size', value)))
      return undefined;
    const { subclass: className, hidesState } = extension(value, type);
    const container = { className, hidesState, cut: undefined, json: null, ...TYPED };
    if (type === 'Set') {
      const items = once(() => Array.from(Set.prototype.values.call(value), this.read));
      return { kind: 'set', items, ...container };
    }
    const pairs = once(() =>
      Array.from(
        Map.prototype.entries.call(value),
        ([key, item]) => [this.read(key), this.read(item)] as const,
      ),
    );
    return { kind: 'map', pairs, ...container };
  }

  #scalar(value: object): ValueNode | undefined {
    const type = typeTag(value);
    switch (type) {
      case 'Date': {
        if (!isOfPlatform(() => Date.prototype.getTime.call(value))) return undefined;
        const time = Date.prototype.getTime.call(value);
        const json = Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
        return { kind: 'date', time, json, ...extension(value, type), ...TYPED };
      }
      case 'RegExp': {
        const { source, flags, lastIndex } = value as RegExp;
        const json = `/${source}/${flags}`;
        return { kind: 'regexp', source, flags, lastIndex, json, ...extension(value, type), ...TYPED };
      }
      case 'URL':
      case 'URLSearchParams': {
        const text = (type === 'URL' ? URL : URLSearchParams).prototype.toString.call(value);
        const of = this.read(text);
        return { kind: 'url', className: type, of, json: text, ...extension(value, type), ...TYPED };
      }
      case 'String':
      case 'Number':
      case 'Boolean':
      case 'BigInt':
      case 'Symbol': {
        if (!isOfPlatform(() => VALUE_OF[type]?.(value))) return undefined;
        const unboxed = this.read(VALUE_OF[type]?.(value));
        return { kind: 'boxed', of: unboxed, json: null, ...extension(value, type), ...TYPED };
      }
      case 'AbortSignal': {
        const { aborted } = value as AbortSignal;
        const reason: unknown = (value as AbortSignal).reason;
        const hidesState = Object.keys(value).length > 0;
        return {
          kind: 'signal',
          aborted,
          reason: aborted ? platformReason(reason) : undefined,
          hidesState,
          json: null,
          ...TYPED,
        };
      }
      case 'AsyncGenerator':
      case 'Generator':
        return opaque('Generator');
      case 'Promise':
      case 'WeakMap':
      case 'WeakRef':
      case 'WeakSet':
        return opaque(type);
    }
    return undefined;
  }

  /** Reads an instance by the result of its `toJSON`, else by its properties. */
  #instance(value: object): ValueNode {
    const { name, holdsPrivate, holdsUnseen, members } = classTraits(Reflect.getPrototypeOf(value) as object);
    if (members.has('next') && (members.has(Symbol.iterator) || members.has(Symbol.asyncIterator)))
      return opaque(name === '' || name === 'Object' ? 'Iterator' : name);
    const answer = members.has('toJSON') ? callToJson(value) : undefined;
    if (answer !== undefined)
      return { kind: 'toJSON', className: name, of: this.read(answer.value), json: null, ...TYPED };
    return {
      kind: 'class',
      className: name,
      hasMethods: false,
      hidesState: holdsPrivate || holdsUnseen || hasSymbolData(value),
      pointer: '',
      entries: once(() => this.#entries(value, Object.keys(value))),
      cut: undefined,
      json: null,
      ...TYPED,
    };
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

/** Properties of errors that are compared although they are not enumerable. */
const OWN_FACTS = ['code', 'cause', 'errors'];

/** The platform's methods, because subclasses may override `valueOf`. */
const VALUE_OF: Record<string, (box: object) => unknown> = {
  String: (box) => String.prototype.valueOf.call(box),
  Number: (box) => Number.prototype.valueOf.call(box),
  Boolean: (box) => Boolean.prototype.valueOf.call(box),
  BigInt: (box) => BigInt.prototype.valueOf.call(box as unknown as bigint),
  Symbol: (box) => Symbol.prototype.valueOf.call(box as unknown as symbol),
};

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

function callToJson(value: object): { value: unknown } | undefined {
  try {
    const answer = (value as { toJSON(key: string): unknown }).toJSON('');
    return answer === value ? undefined : { value: answer };
  } catch {
    return undefined;
  }
}
