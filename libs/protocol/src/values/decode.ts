import { decodeBytes } from './bytes.js';
import { fillError, newError } from './new-error.js';
import type { ContainerNode, Entry, ValueNode } from './value-node.js';

/** Rebuilds objects of one class from the output of the codec with the same name. */
export interface Decoder {
  readonly name: string;
  decode(encoded: unknown): unknown;
}

/** An object of a class without a codec. It decodes to plain data. */
export interface RecordedInstance {
  readonly class: string;
  /** Its JSON Pointer in the recorded value. */
  readonly pointer: string;
  /** Whether its class had methods or accessors. */
  readonly hasMethods: boolean;
}

/**
 * Rebuilds a recorded value. Never throws.
 *
 * Opaque values (functions, streams, promises) become their label, cut values their head, objects of a class without a codec plain
 * data, and masked texts stay tokens. Parts without notes are not copied: they belong to the JSON.
 */
export function decode(node: ValueNode, codecs: readonly Decoder[] = []): unknown {
  return decodeInstances(node, codecs).value;
}

/** Like `decode`. Also returns which plain objects replace class instances. */
export function decodeInstances(
  node: ValueNode,
  codecs: readonly Decoder[],
): { value: unknown; instances: ReadonlyMap<object, RecordedInstance> } {
  const decoding = new Decoding(codecs);
  return { value: decoding.decode(node), instances: decoding.instances };
}

class Decoding {
  readonly instances = new Map<object, RecordedInstance>();
  private readonly made = new Map<ValueNode, unknown>();
  private readonly open = new Set<ValueNode>();

  constructor(private readonly codecs: readonly Decoder[]) {}

  decode(node: ValueNode): unknown {
    if (node.isPlain) return node.json;
    if (this.made.has(node)) return this.made.get(node);
    // A codec's object that contains itself does not exist yet.
    if (this.open.has(node)) return node.json;
    this.open.add(node);
    const value = this.decodeOr(node, node.json);
    this.open.delete(node);
    this.made.set(node, value);
    return value;
  }

  /** Returns `otherwise` if the value cannot be built or its codec throws. */
  private decodeOr(node: ValueNode, otherwise: unknown): unknown {
    try {
      return this.typed(node);
    } catch {
      return otherwise;
    }
  }

  private typed(node: ValueNode): unknown {
    switch (node.kind) {
      case 'undefined':
        return undefined;
      case 'number':
      case 'bigint':
        return node.value;
      case 'date':
        return new Date(node.time);
      case 'regexp':
        return Object.assign(new RegExp(node.source, node.flags), { lastIndex: node.lastIndex });
      case 'url':
        return node.className === 'URL' ? new URL(jsonText(node.of)) : new URLSearchParams(jsonText(node.of));
      case 'bytes':
        return node.cut === undefined ? decodeBytes(node.className, node.base64) : node.json;
      case 'symbol':
        return node.isWellKnown ? (Reflect.get(Symbol, node.name) as unknown) : Symbol.for(node.name);
      case 'signal':
        return node.aborted ? AbortSignal.abort() : new AbortController().signal;
      case 'boxed':
        return Object(this.decode(node.of));
      case 'toJSON':
      case 'masked':
        return this.decode(node.of);
      case 'codec': {
        const encoded = this.encoded(node.of);
        const codec = this.codecs.find(({ name }) => name === node.name);
        return codec === undefined ? encoded : codec.decode(encoded);
      }
      case 'array':
      case 'object':
      case 'map':
      case 'set':
      case 'error':
      case 'class':
        return this.container(node);
      default:
        return node.json;
    }
  }

  /** A codec's input is not listed as an instance, because the codec rebuilds it. */
  private encoded(node: ValueNode): unknown {
    const value = this.decode(node);
    if (node.kind === 'class' && typeof value === 'object' && value !== null) this.instances.delete(value);
    return value;
  }

  /** Registers containers before filling them, because they may contain themselves. */
  private container(node: ContainerNode): unknown {
    switch (node.kind) {
      case 'array': {
        const array: unknown[] = [];
        this.made.set(node, array);
        for (const item of node.items()) this.push(array, item);
        return array;
      }
      case 'map': {
        const map = new Map<unknown, unknown>();
        this.made.set(node, map);
        for (const [key, value] of node.pairs()) map.set(this.decode(key), this.decode(value));
        return map;
      }
      case 'set': {
        const set = new Set<unknown>();
        this.made.set(node, set);
        for (const item of node.items()) set.add(this.decode(item));
        return set;
      }
      case 'error': {
        const error = newError(node.className);
        this.made.set(node, error);
        fillError(error, this.properties(node.entries()));
        return error;
      }
      case 'class': {
        const { className, pointer, hasMethods } = node;
        const data = {};
        this.instances.set(data, { class: className, pointer, hasMethods });
        return this.fill(data, node, node.entries());
      }
      case 'object':
        return this.fill(node.hasPrototype ? {} : (Object.create(null) as object), node, node.entries());
    }
  }

  private push(array: unknown[], item: ValueNode): void {
    if (item.kind !== 'undefined') array.push(this.decode(item));
    else if (item.isHole) array.length += item.count;
    else for (let count = item.count; count > 0; count--) array.push(undefined);
  }

  private fill(object: object, node: ValueNode, entries: readonly Entry[]): object {
    this.made.set(node, object);
    for (const [key, value] of this.properties(entries)) {
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return object;
  }

  private *properties(entries: readonly Entry[]): Iterable<[string, unknown]> {
    for (const [key, value] of entries) yield [key, this.decode(value)];
  }
}

function jsonText({ json }: ValueNode): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}
