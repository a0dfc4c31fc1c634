import {
  canonical,
  comparedEntries,
  type ContainerNode,
  equal,
  type EqualOptions,
  isExact,
  type ValueNode,
} from '@dacapo/protocol';
import { singleItems } from '../values/single-items.js';
import { describeSide, describeType } from './show.js';
import type { ValueDiff } from './value-diff.js';

export interface DiffOptions extends EqualOptions {
  /** Maximum number of differences. Default: 50. */
  limit?: number | undefined;
  /** Start of each path. Default: `$`. */
  root?: string | undefined;
}

const LONGEST_PATH = 300;

/**
 * Lists where two recorded values differ, by the equality of verdicts: empty exactly when they are equal. Array items are aligned from
 * both ends, so that one inserted item is one difference. Map entries are aligned by key.
 */
export function diffNodes(before: ValueNode, now: ValueNode, options: DiffOptions = {}): ValueDiff[] {
  const { root = '$', ...rest } = options;
  const differ = new Differ(rest, root);
  differ.compare(root, before, now);
  return differ.found;
}

class Differ {
  readonly found: ValueDiff[] = [];
  readonly #options: EqualOptions;
  readonly #limit: number;
  readonly #root: string;
  /** Pairs on the current path, to end cycles. */
  readonly #open = new Map<ValueNode, Set<ValueNode>>();
  /** How often such a pair was reached again. Its differences are reported where it was opened. */
  #met = 0;

  constructor({ limit = 50, ...options }: DiffOptions, root: string) {
    this.#root = root;
    this.#limit = limit;
    this.#options = options;
  }

  compare(path: string, before: ValueNode, now: ValueNode): void {
    const open = this.#open.get(before) ?? new Set<ValueNode>();
    if (open.has(now)) {
      this.#met += 1;
      return;
    }
    const equality = equal(before, now, this.#options);
    if (equality === 'equal') return;
    const [from, met] = [this.found.length, this.#met];
    this.#open.set(before, open.add(now));
    this.#inside(path, before, now);
    open.delete(now);
    // Reports the whole unless differences inside explain it, or the limit is reached.
    const inside = this.found.slice(from);
    const isMet = this.#met > met && path !== this.#root;
    const isExplained = isMet || inside.some(({ kind }) => equality === 'unknown' || kind !== 'unknown');
    if (isExplained || this.found.length >= this.#limit) return;
    const kind =
      equality === 'unknown' ? 'unknown' : describeType(before) === describeType(now) ? 'value' : 'type';
    this.#add({ path, kind, before: describeSide(before, now), now: describeSide(now, before) });
  }

  /** Compares parts only if both values have the same kind and class name. */
  #inside(path: string, before: ValueNode, now: ValueNode): void {
    if (before.kind !== now.kind || describeType(before) !== describeType(now)) return;
    switch (before.kind) {
      case 'array':
        this.#items(path, before, now as typeof before);
        break;
      case 'map':
        this.#maps(path, before, now as typeof before);
        break;
      case 'set':
        this.#sets(path, before, now as typeof before);
        break;
      case 'object':
      case 'error':
      case 'class':
        this.#entries(path, before, now as typeof before);
        break;
      case 'codec':
      case 'toJSON':
        this.compare(path, before.of, (now as typeof before).of);
    }
  }

  #items(path: string, before: NodeOfKind<'array'>, now: NodeOfKind<'array'>): void {
    const [old, fresh] = [singleItems(before.items()), singleItems(now.items())];
    const isEqual = (left: ValueNode | undefined, right: ValueNode | undefined): boolean =>
      left !== undefined && right !== undefined && equal(left, right, this.#options) === 'equal';
    let start = 0;
    while (isEqual(old[start], fresh[start])) start += 1;
    let end = 0;
    const most = Math.min(old.length, fresh.length) - start;
    while (end < most && isEqual(old.at(-1 - end), fresh.at(-1 - end))) end += 1;
    const [oldEnd, freshEnd] = [old.length - end, fresh.length - end];
    for (let index = start; index < Math.max(oldEnd, freshEnd); index += 1) {
      const left = index < oldEnd ? old[index] : undefined;
      const right = index < freshEnd ? fresh[index] : undefined;
      this.#sides(`${path}[${index}]`, left, right, before, now);
    }
  }

  #entries(path: string, before: WithEntries, now: WithEntries): void {
    const rest = new Map(comparedEntries(now));
    for (const [key, left] of comparedEntries(before)) {
      const right = rest.get(key);
      rest.delete(key);
      this.#sides(appendStep(path, key), left, right, before, now);
    }
    for (const [key, right] of rest) this.#sides(appendStep(path, key), undefined, right, before, now);
  }

  /** If a key has no exact text form, the Maps are reported as a whole. */
  #maps(path: string, before: NodeOfKind<'map'>, now: NodeOfKind<'map'>): void {
    const [old, fresh] = [indexByText(before.pairs()), indexByText(now.pairs())];
    if (old === undefined || fresh === undefined) return;
    for (const [key, [node, left]] of old)
      this.#sides(appendStep(path, keyName(node, key)), left, fresh.get(key)?.[1], before, now);
    for (const [key, [node, right]] of fresh)
      if (!old.has(key)) this.#sides(appendStep(path, keyName(node, key)), undefined, right, before, now);
  }

  #sets(path: string, before: NodeOfKind<'set'>, now: NodeOfKind<'set'>): void {
    const pairs = (node: NodeOfKind<'set'>): (readonly [ValueNode, ValueNode])[] =>
      node.items().map((item) => [item, item] as const);
    const [old, fresh] = [indexByText(pairs(before)), indexByText(pairs(now))];
    if (old === undefined || fresh === undefined) return;
    for (const [key, [item]] of old)
      if (!fresh.has(key)) this.#sides(`${path}[*]`, item, undefined, before, now);
    for (const [key, [item]] of fresh)
      if (!old.has(key)) this.#sides(`${path}[*]`, undefined, item, before, now);
  }

  /** A part that is missing from a cut container is `unknown`. */
  #sides(
    path: string,
    before: ValueNode | undefined,
    now: ValueNode | undefined,
    ofBefore: ContainerNode,
    ofNow: ContainerNode,
  ): void {
    if (this.found.length >= this.#limit) return;
    if (before !== undefined && now !== undefined) {
      this.compare(path, before, now);
    } else if (before !== undefined && before.kind !== 'undefined') {
      this.#add({ path, kind: ofNow.cut ? 'unknown' : 'removed', before: describeSide(before) });
    } else if (now !== undefined && now.kind !== 'undefined') {
      this.#add({ path, kind: ofBefore.cut ? 'unknown' : 'added', now: describeSide(now) });
    }
  }

  #add(diff: ValueDiff): void {
    const { path } = diff;
    this.found.push({ ...diff, path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path });
  }
}

type NodeOfKind<K extends ContainerNode['kind']> = Extract<ContainerNode, { kind: K }>;
type WithEntries = NodeOfKind<'object' | 'error' | 'class'>;

/** Entries by the text of their key; `undefined` when a key has no exact text form, or two keys share one. */
function indexByText(
  pairs: readonly (readonly [ValueNode, ValueNode])[],
): Map<string, readonly [ValueNode, ValueNode]> | undefined {
  const byText = new Map<string, readonly [ValueNode, ValueNode]>();
  for (const pair of pairs) {
    const form = canonical(pair[0]);
    if (form === undefined || !isExact(form) || byText.has(form.text)) return undefined;
    byText.set(form.text, pair);
  }
  return byText;
}

function keyName(key: ValueNode, text: string): string {
  return key.kind === 'string' ? key.value : text;
}

function appendStep(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
