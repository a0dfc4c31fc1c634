import { isJsonObject, type JsonValue } from '../json/json-value.js';
import { canonical } from './canonical.js';
import { TOKEN } from './redaction-token.js';
import { compareContents, compareEntries, isUnreadable } from './equal-contents.js';
import { type Equality, equalIf, worse } from './equality.js';
import { hashNode } from './hash-node.js';
import { hashCanonicalForm, type Sha256 } from './hash-canonical-form.js';
import { type Cut, MASKED_OTHER } from './notes.js';
import type { ContainerNode, ValueNode } from './value-node.js';

export interface EqualOptions {
  /** Default: none, and a whole value compared with a cut one is `unknown`. */
  readonly sha256?: Sha256 | undefined;
  /** Both values were masked with the same salt, so different tokens mean different secrets. Default: `false`, they are `unknown`. */
  readonly sameSalt?: boolean | undefined;
}

/**
 * Compares two recorded values by JSON and types.
 *
 * Follows `assert.deepStrictEqual`, with these exceptions:
 *
 * - The order of keys, Map entries and Set items does not matter, nor does `lastIndex`.
 * - A missing property or item equals `undefined`, `-0` equals `0`, and invalid dates are equal.
 * - Errors and instances compare by class name and data (for errors see `comparedEntries`).
 *
 * Cut values compare by the hash of the whole, if there is one. Masked values are equal if their tokens are equal; different
 * tokens are `unknown` unless the salt is the same. Opaque and unreadable values are `unknown`. A certain difference outweighs
 * unknown parts.
 */
export function equal(left: ValueNode, right: ValueNode, options: EqualOptions = {}): Equality {
  return new Comparison(options).compare(left, right);
}

type Kind = ValueNode['kind'];
type NodeWithKind<K extends Kind> = Extract<ValueNode, { kind: K }>;

class Comparison {
  /** Results of compared pairs, also of pairs in progress, because objects may be shared or cyclic. */
  private readonly known = new Map<ValueNode, Map<ValueNode, Equality>>();

  constructor(private readonly options: EqualOptions) {}

  readonly compare = (left: ValueNode, right: ValueNode): Equality => {
    if (left.isPlain && right.isPlain) return equalIf(sameJson(left.json, right.json));
    if (!isContainer(left) || !isContainer(right))
      return worse(boundBySubclass(left, right), this.compareTyped(left, right));
    const ofLeft = this.known.get(left) ?? new Map<ValueNode, Equality>();
    this.known.set(left, ofLeft);
    const known = ofLeft.get(right);
    if (known !== undefined) return known;
    // In a cycle, a pair is equal if everything else is.
    ofLeft.set(right, 'equal');
    const equality = this.compareContainers(left, right);
    ofLeft.set(right, equality);
    return equality;
  };

  private compareTyped(left: ValueNode, right: ValueNode): Equality {
    if (isUnreadable(left) || isUnreadable(right)) return 'unknown';
    if (left.kind === 'masked' || right.kind === 'masked') return this.compareMasked(left, right);
    if (left.kind === 'deep') return this.compareDeep(left, right);
    if (right.kind === 'deep') return this.compareDeep(right, left);
    if (left.kind === 'string' && right.kind === 'string') return this.compareText(left, right);
    if (left.kind === 'bytes' && right.kind === 'bytes') return this.compareBytes(left, right);
    if (isClassLike(left) && isClassLike(right)) return this.compareClasses(left, right);
    if (left.kind === 'url' && right.kind === 'url' && left.className === right.className)
      return this.compare(left.of, right.of);
    if (left.kind === 'boxed' && right.kind === 'boxed') return this.compare(left.of, right.of);
    if (left.kind === 'signal' && right.kind === 'signal') return compareSignals(left, right);
    if (left.kind === 'date' && right.kind === 'date') return equalIf(Object.is(left.time, right.time));
    if (left.kind === 'regexp' && right.kind === 'regexp')
      return equalIf(left.source === right.source && left.flags === right.flags);
    // The forms of these kinds have no gaps.
    return equalIf(left.kind === right.kind && canonical(left)?.text === canonical(right)?.text);
  }

  private compareContainers(left: ContainerNode, right: ContainerNode): Equality {
    if (left.kind !== right.kind) return 'different';
    if (left.cut === undefined && right.cut === undefined) {
      return worse(boundBySubclass(left, right), compareContents(left, right, this.compare));
    }
    const byHash = worse(boundBySubclass(left, right), this.compareHashes(left, right));
    return byHash === 'unknown' ? worse(byHash, compareContents(left, right, this.compare)) : byHash;
  }

  /** One class may be recorded by its codec, by its `toJSON`, by its data or by its name. */
  private compareClasses(left: ClassLikeNode, right: ClassLikeNode): Equality {
    if (left.kind === 'codec' && right.kind === 'codec')
      return left.name === right.name ? this.compare(left.of, right.of) : 'different';
    if (left.kind === 'codec' || right.kind === 'codec') return 'unknown';
    if (left.className !== right.className)
      // An opaque value may have the name of its kind instead of its class: Stream, Iterator, Key.
      return hidesState(left) || hidesState(right) ? 'unknown' : 'different';
    if (left.kind === 'toJSON' && right.kind === 'toJSON') return this.compare(left.of, right.of);
    return 'unknown';
  }

  private compareText(left: NodeWithKind<'string'>, right: NodeWithKind<'string'>): Equality {
    if (left.cut === undefined && right.cut === undefined) return equalIf(left.value === right.value);
    const isSame =
      fits(readHead(left), readHead(right), left.cut, right.cut) &&
      areEndsAlike(readTail(left), readTail(right)) &&
      sizeFits(left.cut, right.value, right.cut) &&
      sizeFits(right.cut, left.value, left.cut);
    return isSame ? this.compareHashes(left, right) : 'different';
  }

  private compareBytes(left: NodeWithKind<'bytes'>, right: NodeWithKind<'bytes'>): Equality {
    if (left.className !== right.className) return 'different';
    if (left.cut === undefined && right.cut === undefined) return equalIf(left.base64 === right.base64);
    const isSame =
      fits(readHead(left), readHead(right), left.cut, right.cut) &&
      areEndsAlike(readTail(left), readTail(right)) &&
      !differInSize(left.cut, right.cut);
    return isSame ? this.compareHashes(left, right) : 'different';
  }

  /** Compares hashes of the whole values. Hashes a whole value only if the cut one has a hash. */
  private compareHashes(left: ValueNode, right: ValueNode): Equality {
    const [first, second] = readCut(left) === undefined ? [right, left] : [left, right];
    const cut = readCut(second);
    const { sha256: hash, hmac } = readCut(first) ?? {};
    // The HMAC of a value differs between redaction secrets.
    if (hmac !== undefined && cut?.hmac !== undefined) {
      if (hmac === cut.hmac) return 'equal';
      return this.options.sameSalt === true ? 'different' : 'unknown';
    }
    if (hash === undefined) return equalIf(!samplesDiffer(readCut(left), readCut(right)), 'unknown');
    // Hashes of bytes do not include the type.
    if (first.kind !== second.kind && cut !== undefined && [first.kind, second.kind].includes('bytes'))
      return 'unknown';
    const ofWhole = first.kind === 'deep' ? hashCanonicalForm : hashNode;
    const other =
      cut === undefined ? this.options.sha256 && ofWhole(second, this.options.sha256) : cut.sha256;
    return other === undefined ? 'unknown' : equalIf(hash === other);
  }

  /** Of a value nested too deep, only `isArray` is known. */
  private compareDeep(deep: NodeWithKind<'deep'>, other: ValueNode): Equality {
    const isArray = other.kind === 'deep' ? other.isArray : other.kind === 'array';
    return isPrimitive(other) || isArray !== deep.isArray ? 'different' : this.compareHashes(deep, other);
  }

  private compareMasked(left: ValueNode, right: ValueNode): Equality {
    const [one, other] = [unmasked(left), unmasked(right)];
    if (left.kind === 'masked' && right.kind === 'masked')
      if (left.type !== right.type || left.type === MASKED_OTHER) return 'unknown';
    // Hashes are of the unmasked value.
    if (readCut(one) !== undefined && readCut(other) !== undefined && one.kind === other.kind) {
      return this.compareHashes(one, other);
    }
    if (isContainer(one) && isContainer(other)) return this.compareRenamed(one, other);
    if (left.kind !== 'masked' || right.kind !== 'masked') return 'unknown';
    if (!holdsToken(one.json) || !holdsToken(other.json)) return 'unknown';
    const equality = this.compare(one, other);
    if (equality === 'equal') return equality;
    // Equal objects with another key order have different tokens.
    return this.options.sameSalt === true && left.type === undefined ? equality : 'unknown';
  }

  /** Property names were masked, which loses their notes, or a hook replaced the object. */
  private compareRenamed(left: ContainerNode, right: ContainerNode): Equality {
    if (!('entries' in left && 'entries' in right) || left.kind !== right.kind) return 'unknown';
    const isRenamed = [...left.entries(), ...right.entries()].some(([name]) => TOKEN.test(name));
    return isRenamed ? worse('unknown', compareEntries(left, right, this.compare, true)) : 'unknown';
  }
}

/** A custom reason is not recorded. */
function compareSignals(left: NodeWithKind<'signal'>, right: NodeWithKind<'signal'>): Equality {
  if (left.aborted !== right.aborted) return 'different';
  if (!left.aborted) return 'equal';
  return left.reason === undefined || right.reason === undefined
    ? 'unknown'
    : equalIf(left.reason === right.reason);
}

function isContainer(node: ValueNode): node is ContainerNode {
  return CONTAINERS.has(node.kind);
}

const CONTAINERS: ReadonlySet<Kind> = new Set(['array', 'object', 'map', 'set', 'error', 'class']);

/** The result for two values if their recorded data is equal. */
function boundBySubclass(left: ValueNode, right: ValueNode): Equality {
  const [one, other] = [readSubclass(left), readSubclass(right)];
  if (one !== undefined && other !== undefined && one !== other) return 'different';
  // Records made before the upgrade name no subclass.
  return hidesState(left) || hidesState(right) || one !== other ? 'unknown' : 'equal';
}

function hidesState(node: ValueNode): boolean {
  return 'hidesState' in node && node.hidesState === true;
}

function readSubclass(node: ValueNode): string | undefined {
  return 'subclass' in node ? node.subclass : undefined;
}

type ClassLikeNode = NodeWithKind<'codec' | 'toJSON' | 'class' | 'opaque'>;

function isClassLike(node: ValueNode): node is ClassLikeNode {
  return OF_CLASS.has(node.kind);
}

const OF_CLASS: ReadonlySet<Kind> = new Set(['codec', 'toJSON', 'class', 'opaque']);

function isPrimitive({ kind }: ValueNode): boolean {
  return PRIMITIVES.has(kind);
}

const PRIMITIVES: ReadonlySet<Kind> = new Set([
  'null',
  'boolean',
  'number',
  'bigint',
  'undefined',
  'string',
  'symbol',
]);

function unmasked(node: ValueNode): ValueNode {
  return node.kind === 'masked' ? node.of : node;
}

function holdsToken(json: JsonValue): boolean {
  return typeof json === 'string' && TOKEN.test(json);
}

function readCut(node: ValueNode): Cut | undefined {
  return 'cut' in node ? node.cut : undefined;
}

function readHead(node: NodeWithKind<'string' | 'bytes'>): string {
  const { cut } = node;
  if (node.kind === 'bytes')
    return cut === undefined ? node.base64 : node.base64.slice(0, base64Length(node));
  if (cut !== undefined && cut.tail > 0) return node.value.slice(0, cut.kept);
  return cut !== undefined && node.value.endsWith('…') ? node.value.slice(0, -1) : node.value;
}

function readTail(node: NodeWithKind<'string' | 'bytes'>): string {
  const { cut } = node;
  if (node.kind === 'bytes')
    return atob(cut === undefined ? node.base64 : node.base64.slice(base64Length(node)));
  if (cut === undefined) return node.value;
  return cut.tail > 0 ? node.value.slice(-cut.tail) : '';
}

/** Characters of the head of bytes that are cut: it is whole groups of three. */
function base64Length({ base64, cut }: NodeWithKind<'bytes'>): number {
  return cut?.kept === undefined || cut.tail === 0 ? base64.length : Math.ceil(cut.kept / 3) * 4;
}

function areEndsAlike(left: string, right: string): boolean {
  return left.endsWith(right) || right.endsWith(left);
}

/** Whether both heads can belong to the same text. */
function fits(left: string, right: string, leftCut: Cut | undefined, rightCut: Cut | undefined): boolean {
  if (leftCut === undefined) return left.startsWith(right);
  return right.startsWith(left) || (rightCut !== undefined && left.startsWith(right));
}

function sizeFits(cut: Cut | undefined, text: string, textCut: Cut | undefined): boolean {
  if (cut === undefined) return true;
  if (textCut !== undefined) return !differInSize(cut, textCut);
  if (cut.unit === 'characters') return text.length === cut.size;
  return cut.unit !== 'bytes' || new TextEncoder().encode(text).length === cut.size;
}

function differInSize(left: Cut | undefined, right: Cut | undefined): boolean {
  return left !== undefined && left.unit === right?.unit && left.size !== right.size;
}

/** Whether two samples prove a difference. Callers have compared the sizes. */
function samplesDiffer(left: Cut | undefined, right: Cut | undefined): boolean {
  return (
    left?.sampledSha256 !== undefined &&
    right?.sampledSha256 !== undefined &&
    left.sampledSha256 !== right.sampledSha256
  );
}

function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
    );
  }
  return false;
}
