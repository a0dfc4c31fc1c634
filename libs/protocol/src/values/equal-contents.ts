import { TOKEN } from './redaction-token.js';
import { canonical, isExact } from './canonical.js';
import { type Equality, equalIf, worse } from './equality.js';
import { comparedEntries } from './error-facts.js';
import type { ContainerNode, ValueNode } from './value-node.js';

type Compare = (left: ValueNode, right: ValueNode) => Equality;
type NodeWithKind<K extends ContainerNode['kind']> = Extract<ContainerNode, { kind: K }>;

/**
 * Compares the recorded contents of two containers of one kind. The caller accounts for parts that were cut off.
 */
export function compareContents(left: ContainerNode, right: ContainerNode, compare: Compare): Equality {
  if (nodeClass(left) !== nodeClass(right)) return 'different';
  if (left.kind === 'array') return compareItems(left, right as NodeWithKind<'array'>, compare);
  if ('entries' in left) return compareEntries(left, right as WithEntries, compare);
  return compareUnordered(left, right as Unordered, compare);
}

function nodeClass(node: ContainerNode): string | boolean | undefined {
  if (node.kind === 'object') return node.hasPrototype;
  return node.kind === 'array' ? undefined : node.className;
}

function compareItems(left: NodeWithKind<'array'>, right: NodeWithKind<'array'>, compare: Compare): Equality {
  if (differInSize(left, countItems(left), right, countItems(right))) return 'different';
  const [before, after] = [mergeRuns(headItems(left)), mergeRuns(headItems(right))];
  let equality: Equality = 'equal';
  for (;;) {
    const [a, b] = [before.next(), after.next()];
    // The other side was cut here.
    if (a.done === true || b.done === true) return worse(equality, compareTails(left, right, compare));
    const [{ node, count }, other] = [a.value, b.value];
    if (node.kind === 'undefined' && other.node.kind === 'undefined' && count !== other.count) {
      const shorter = count < other.count ? left : right;
      return equalIf(shorter.cut !== undefined, equality);
    }
    equality = worse(equality, compare(node, other.node));
    if (equality === 'different') return equality;
  }
}

function headItems(node: NodeWithKind<'array'>): readonly ValueNode[] {
  const { cut } = node;
  return cut !== undefined && cut.tail > 0 ? node.items().slice(0, -cut.tail) : node.items();
}

/** Compares tails from the end. Runs of `undefined` have no fixed length, so tails with them are not compared. */
function compareTails(left: NodeWithKind<'array'>, right: NodeWithKind<'array'>, compare: Compare): Equality {
  const tailItems = (node: NodeWithKind<'array'>): readonly ValueNode[] =>
    node.cut === undefined ? node.items() : node.items().slice(headItems(node).length);
  const [before, after] = [tailItems(left), tailItems(right)];
  if (left.cut === right.cut || [...before, ...after].some(({ kind }) => kind === 'undefined'))
    return 'equal';
  let equality: Equality = 'equal';
  for (let i = 1; i <= Math.min(before.length, after.length); i++)
    equality = worse(equality, compare(before.at(-i) as ValueNode, after.at(-i) as ValueNode));
  return equality;
}

function countItems(node: NodeWithKind<'array'>): number {
  return node.items().reduce((sum, item) => sum + (item.kind === 'undefined' ? item.count : 1), 0);
}

interface Run {
  readonly node: ValueNode;
  readonly count: number;
}

/** Yields items, with adjacent `undefined` items and holes merged into one run. */
function* mergeRuns(items: readonly ValueNode[]): Generator<Run> {
  let run: Run | undefined;
  for (const node of items) {
    if (node.kind === 'undefined') {
      run = { node, count: (run?.count ?? 0) + node.count };
      continue;
    }
    if (run !== undefined) yield run;
    run = undefined;
    yield { node, count: 1 };
  }
  if (run !== undefined) yield run;
}

type WithEntries = NodeWithKind<'object' | 'error' | 'class'>;

/** @param isRenamed names were masked, so a missing name may be present as a token */
export function compareEntries(
  left: WithEntries,
  right: WithEntries,
  compare: Compare,
  isRenamed = false,
): Equality {
  const rest = new Map(comparedEntries(right));
  let equality: Equality = 'equal';
  const without = (value: ValueNode, other: WithEntries): Equality => {
    if (value.kind === 'undefined') return 'equal';
    // A getter may have returned `undefined`.
    return isRenamed || other.cut !== undefined || isUnreadable(value) ? 'unknown' : 'different';
  };
  for (const [key, value] of comparedEntries(left)) {
    const other = rest.get(key);
    rest.delete(key);
    if (isRenamed && TOKEN.test(key)) continue;
    equality = worse(equality, other === undefined ? without(value, right) : compare(value, other));
    if (equality === 'different') return equality;
  }
  for (const value of rest.values()) equality = worse(equality, without(value, left));
  return equality;
}

/** Whether the original value is unknown. */
export function isUnreadable(node: ValueNode): boolean {
  const name = node.kind === 'opaque' ? node.className : '';
  return node.kind === 'unknown' || ['Unreadable', 'Getter', 'Unrecorded', 'Redacted'].includes(name);
}

type Unordered = NodeWithKind<'map' | 'set'>;
/** An entry of a Map, or an item of a Set without a value. */
type Keyed = readonly [key: ValueNode, value?: ValueNode];

/**
 * Compares entries of Maps and items of Sets in any order, matched by the canonical form of their keys. Keys whose form has gaps
 * make the result `unknown`, because they may equal any other key.
 */
function compareUnordered(left: Unordered, right: Unordered, compare: Compare): Equality {
  const [before, after] = [keyedItems(left), keyedItems(right)];
  if (differInSize(left, before.length, right, after.length)) return 'different';
  const [ones, others] = [new Keys(before), new Keys(after)];
  let equality: Equality = ones.isVague || others.isVague ? 'unknown' : 'equal';
  const without = (other: Unordered, keys: Keys): Equality =>
    other.cut !== undefined || keys.isVague ? 'unknown' : 'different';
  for (const [text, values] of ones.values) {
    const matching = others.values.get(text) ?? [];
    others.values.delete(text);
    const more = values.length - matching.length;
    if (more > 0) equality = worse(equality, without(right, others));
    else if (more < 0) equality = worse(equality, without(left, ones));
    else equality = worse(equality, compareEqualKeys(values, matching, compare));
    if (equality === 'different') return equality;
  }
  return others.values.size > 0 ? worse(equality, without(left, ones)) : equality;
}

function keyedItems(node: Unordered): readonly Keyed[] {
  return node.kind === 'map' ? node.pairs() : node.items().map((item) => [item] as const);
}

/** Keys with a complete canonical form, and their values. */
class Keys {
  readonly values = new Map<string, ValueNode[]>();
  /** Whether some keys have no complete form. */
  isVague = false;

  constructor(keyed: readonly Keyed[]) {
    for (const [key, value = key] of keyed) {
      const form = canonical(key);
      if (form === undefined || !isExact(form)) this.isVague = true;
      if (form === undefined || ![...form.gaps].every((gap) => gap === 'cycle' || gap === 'error')) continue;
      const values = this.values.get(form.text);
      if (values === undefined) this.values.set(form.text, [value]);
      else values.push(value);
    }
  }
}

/** A Map can have several equal objects as keys. Their values, equally many on each side, are compared in any order. */
function compareEqualKeys(
  before: readonly ValueNode[],
  after: readonly ValueNode[],
  compare: Compare,
): Equality {
  const [[one, ...more], [other]] = [before, after];
  if (one !== undefined && other !== undefined && more.length === 0) return compare(one, other);
  const [ones, others] = [new Keys(before.map((value) => [value])), new Keys(after.map((value) => [value]))];
  if (ones.isVague || others.isVague) return 'unknown';
  return equalIf(
    [...ones.values].every(([text, values]) => others.values.get(text)?.length === values.length),
  );
}

/** Compares sizes before cutting, if known. */
function differInSize(left: ContainerNode, lefts: number, right: ContainerNode, rights: number): boolean {
  const wholeSize = ({ cut }: ContainerNode, here: number): number | undefined =>
    cut === undefined ? here : cut.unit === 'items' ? cut.size : undefined;
  const [one, other] = [wholeSize(left, lefts), wholeSize(right, rights)];
  return one !== undefined && other !== undefined && one !== other;
}
