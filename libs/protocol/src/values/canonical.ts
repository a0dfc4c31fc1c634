import { isJsonObject, type JsonValue } from '../json/json-value.js';
import type { Cut } from './notes.js';
import { comparedEntries } from './error-facts.js';
import type { ContainerNode, Entry, ValueNode } from './value-node.js';

/** A value as one text. */
export interface CanonicalForm {
  /**
   * Equal for equal values, types included; of a value that is plain JSON it is its JSON, keys sorted. Where `gaps` is
   * empty, and only there, values with other texts are different.
   */
  readonly text: string;
  /** What in it keeps the text from telling everything. */
  readonly gaps: ReadonlySet<CanonicalGap>;
}

/** `cut`: without a hash of the whole. `hashed`: cut, with one. `cycle`: equal graphs may have other texts. `error`: nothing is kept from it, but what counts
 * of an error is for a version to say: a text that is to be compared later is not made of it. */
export type CanonicalGap = 'cut' | 'hashed' | 'masked' | 'opaque' | 'cycle' | 'error';

/** Whether values of one text are equal, and of other texts are not. */
export function isExact({ gaps }: CanonicalForm): boolean {
  return [...gaps].every((gap) => gap === 'error');
}

const LONGEST = 16 * 1024 * 1024;

/**
 * The canonical form of a value: sorted keys and entries, no property that is `undefined`, shared objects written at
 * each of their places. A graph with cycles is written in the order of its entries.
 *
 * @param limit characters that it may have; about 16 million by default
 * @returns `undefined` when it has more: objects that share many others may have no end
 */
export function canonical(node: ValueNode, limit = LONGEST): CanonicalForm | undefined {
  return formOf(node, limit, false) ?? formOf(node, limit, true);
}

/** `isGraph`: with cycles. `undefined`: there are some, or it is too long. */
function formOf(node: ValueNode, limit: number, isGraph: boolean): CanonicalForm | undefined {
  const writer = new CanonicalWriter(limit, isGraph);
  try {
    return { text: writer.write(node), gaps: writer.gaps };
  } catch (error) {
    if (error === NO_TEXT) return undefined;
    throw error;
  }
}

const NO_TEXT = new Error('There is no canonical form in this way.');

class CanonicalWriter {
  readonly gaps = new Set<CanonicalGap>();
  private readonly open = new Set<ValueNode>();
  /** Of objects that may be met again: what shares many others would be walked without an end. */
  private readonly known = new Map<ValueNode, string>();

  /** @param isGraph there are cycles: objects refer to each other by the order in which they were met */
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
        return `Set(${nameOf(node)}[${this.sorted(this.items(node.items()))}])`;
      case 'map': {
        const pairs = node.pairs().map(([key, value]) => `[${this.write(key)},${this.write(value)}]`);
        return `Map(${nameOf(node)}[${this.sorted(pairs)}])`;
      }
      case 'error':
        this.gaps.add('error');
        return `Error(${JSON.stringify(node.className)},${this.entries(comparedEntries(node))})`;
      case 'class':
        return `Class(${JSON.stringify(node.className)},${this.entries(node.entries())})`;
    }
  }

  /** Not where the texts tell the order in which objects were met. */
  private sorted(texts: string[]): string {
    return (this.isGraph ? texts : texts.sort()).join(',');
  }

  /** Runs of `undefined` are one, however they were recorded. */
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
    // As before there were tails: the form is hashed, and compared with older ones.
    const whole = hash ?? JSON.stringify({ ...cut, tail: cut.tail === 0 ? undefined : cut.tail });
    return `Cut(${kind},${canonicalJson(json)},${whole})`;
  }
}

function nameOf({ className }: { className: string | undefined }): string {
  return className === undefined ? '' : `${JSON.stringify(className)},`;
}

/** JSON as text, the keys of its objects sorted. */
function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${entries.join(',')}}`;
}
