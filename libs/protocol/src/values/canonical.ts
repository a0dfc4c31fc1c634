import { isJsonObject, type JsonValue } from '../json/json-value.js';
import type { Cut } from './notes.js';
import { comparedEntries } from './error-facts.js';
import type { ContainerNode, Entry, ValueNode } from './value-node.js';

/** A value as text. */
export interface CanonicalForm {
  /**
   * Equal for equal values of equal types. For plain JSON it is the JSON with sorted keys. Different texts prove different
   * values only if `gaps` is empty.
   */
  readonly text: string;
  /** Why the text does not fully describe the value. */
  readonly gaps: ReadonlySet<CanonicalGap>;
}

/**
 * `cut`: cut without a hash of the whole. `hashed`: cut with a hash. `cycle`: equal graphs may have different texts. `error`: the
 * text is complete, but versions may compare different parts of an error, so the text must not be stored for later comparison.
 */
export type CanonicalGap = 'cut' | 'hashed' | 'masked' | 'opaque' | 'cycle' | 'error';

/** Whether equal texts prove equal values, and different texts different values. */
export function isExact({ gaps }: CanonicalForm): boolean {
  return [...gaps].every((gap) => gap === 'error');
}

const LONGEST = 16 * 1024 * 1024;

/**
 * The canonical form of a value: keys and entries are sorted, `undefined` properties omitted, and shared objects repeated. Values
 * with cycles keep the order of their entries.
 *
 * @param limit maximum characters. Default: about 16 million
 * @returns `undefined` above the limit, which objects that share many others reach quickly
 */
export function canonical(node: ValueNode, limit = LONGEST): CanonicalForm | undefined {
  return writeForm(node, limit, false) ?? writeForm(node, limit, true);
}

/** @returns `undefined` if the text is too long, or if there are cycles and `isGraph` is false */
function writeForm(node: ValueNode, limit: number, isGraph: boolean): CanonicalForm | undefined {
  const writer = new CanonicalWriter(limit, isGraph);
  try {
    return { text: writer.write(node), gaps: writer.gaps };
  } catch (error) {
    if (error === NO_TEXT) return undefined;
    throw error;
  }
}

const NO_TEXT = new Error('No canonical form');

class CanonicalWriter {
  readonly gaps = new Set<CanonicalGap>();
  private readonly open = new Set<ValueNode>();
  /** Texts of visited objects: without them, shared objects would take exponential time. */
  private readonly known = new Map<ValueNode, string>();

  /** @param isGraph supports cycles: repeated objects refer to their order of visit */
  constructor(
    private readonly limit: number,
    private readonly isGraph: boolean,
  ) {}

  write(node: ValueNode): string {
    if (node.isPlain) return this.bounded(canonicalJson(node.json));
    if (!('cut' in node)) return this.typed(node);
    const known = this.known.get(node);
    if (known !== undefined) return known;
    if (this.isGraph) {
      this.known.set(node, `Same(${this.known.size})`);
      this.gaps.add('cycle');
    }
    if (this.open.has(node)) throw NO_TEXT;
    this.open.add(node);
    const text = this.bounded(this.typed(node));
    this.open.delete(node);
    if (!this.isGraph) this.known.set(node, text);
    return text;
  }

  private bounded(text: string): string {
    if (text.length > this.limit) throw NO_TEXT;
    return text;
  }

  private typed(node: ValueNode): string {
    if ('hidesState' in node && node.hidesState === true) this.gaps.add('opaque');
    const text = this.data(node);
    return 'subclass' in node && node.subclass !== undefined
      ? `Extended(${JSON.stringify(node.subclass)},${text})`
      : text;
  }

  private data(node: ValueNode): string {
    switch (node.kind) {
      case 'null':
        return 'null';
      case 'boolean':
        return String(node.value);
      case 'undefined':
        return 'undefined';
      case 'number':
        return String(node.value);
      case 'bigint':
        return `${node.value}n`;
      case 'string':
        return node.cut === undefined ? JSON.stringify(node.value) : this.cut('string', node.cut, node.json);
      case 'symbol':
        return `Symbol${node.isWellKnown ? '' : '.for'}(${JSON.stringify(node.name)})`;
      case 'date':
        return `Date(${Number.isNaN(node.time) ? 'NaN' : JSON.stringify(node.json)})`;
      case 'regexp':
        return `RegExp(${JSON.stringify(node.source)},"${node.flags}")`;
      case 'signal':
        if (node.aborted && node.reason === undefined) this.gaps.add('opaque');
        return `AbortSignal(${node.reason === 'TimeoutError' ? node.reason : node.aborted})`;
      case 'bytes':
        return node.cut === undefined
          ? `${node.className}("${node.base64}")`
          : this.cut(node.className, node.cut, node.json);
      case 'url':
        return `${node.className}(${this.write(node.of)})`;
      case 'boxed':
        return `Object(${this.write(node.of)})`;
      case 'codec':
        return `Codec(${JSON.stringify(node.name)},${this.write(node.of)})`;
      case 'toJSON':
        return `Class(${JSON.stringify(node.className)},toJSON,${this.write(node.of)})`;
      case 'masked':
        this.gaps.add('masked');
        return this.write(node.of);
      case 'opaque':
        this.gaps.add('opaque');
        return `Opaque(${JSON.stringify(node.className)},${canonicalJson(node.json)})`;
      case 'unknown':
        this.gaps.add('opaque');
        return `Unknown(${canonicalJson(node.json)})`;
      case 'deep':
        return this.cut(node.isArray ? 'array' : 'object', node.cut, node.json);
      default:
        return node.cut === undefined ? this.container(node) : this.cut(node.kind, node.cut, node.json);
    }
  }

  private container(node: ContainerNode): string {
    switch (node.kind) {
      case 'array':
        return `[${this.items(node.items()).join(',')}]`;
      case 'object':
        return `${node.hasPrototype ? '' : 'Null'}${this.entries(node.entries())}`;
      case 'set':
        return `Set(${writeClassName(node)}[${this.sorted(this.items(node.items()))}])`;
      case 'map': {
        const pairs = node.pairs().map(([key, value]) => `[${this.write(key)},${this.write(value)}]`);
        return `Map(${writeClassName(node)}[${this.sorted(pairs)}])`;
      }
      case 'error':
        this.gaps.add('error');
        return `Error(${JSON.stringify(node.className)},${this.entries(comparedEntries(node))})`;
      case 'class':
        return `Class(${JSON.stringify(node.className)},${this.entries(node.entries())})`;
    }
  }

  /** Keeps the order of a graph, whose texts contain the order of visit. */
  private sorted(texts: string[]): string {
    return (this.isGraph ? texts : texts.sort()).join(',');
  }

  /** Merges adjacent runs of `undefined`, which may be recorded in different ways. */
  private items(nodes: readonly ValueNode[]): string[] {
    const texts: string[] = [];
    let run = 0;
    const endRun = (): void => {
      if (run > 0) texts.push(run === 1 ? 'undefined' : `undefined*${run}`);
      run = 0;
    };
    for (const node of nodes) {
      if (node.kind === 'undefined') {
        run += node.count;
      } else {
        endRun();
        texts.push(this.write(node));
      }
    }
    endRun();
    return texts;
  }

  private entries(entries: readonly Entry[]): string {
    const texts = entries
      .filter(([, value]) => value.kind !== 'undefined')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${JSON.stringify(key)}:${this.write(value)}`);
    return `{${texts.join(',')}}`;
  }

  private cut(kind: string, cut: Cut, json: JsonValue): string {
    const hash = cut.sha256 ?? cut.hmac;
    this.gaps.add(hash === undefined ? 'cut' : 'hashed');
    // Omit an empty tail, so that hashes equal those recorded before tails existed.
    const whole = hash ?? JSON.stringify({ ...cut, tail: cut.tail === 0 ? undefined : cut.tail });
    return `Cut(${kind},${canonicalJson(json)},${whole})`;
  }
}

function writeClassName({ className }: { className: string | undefined }): string {
  return className === undefined ? '' : `${JSON.stringify(className)},`;
}

/** JSON text with sorted keys. */
function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${entries.join(',')}}`;
}
