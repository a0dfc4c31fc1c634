import type { CallArguments } from './call-arguments.js';
import type { MadeCall } from './made-call.js';
import { readTimes } from './recorded-times.js';
import type { RecordedNode, RecordedTree } from './recorded-tree.js';

/** The calls below one parent, by their recorded calls. */
type Siblings = ReadonlyMap<RecordedNode, MadeCall>;

/** The turns of recorded calls in the new order. */
type Turns = ReadonlyMap<RecordedNode, number>;

/**
 * The fewest calls that explain why the order of calls below one parent contradicts the recorded one. Calls
 * without a recorded order may run in any order.
 *
 * @param made in the order of the calls
 */
export function findReordered(
  made: readonly MadeCall[],
  { nodes, coarsenessUs }: Pick<RecordedTree, 'nodes' | 'coarsenessUs'>,
): MadeCall[] {
  const order = new RecordedOrder(nodes, coarsenessUs);
  const byParent = new Map<RecordedNode, Map<RecordedNode, MadeCall>>();
  for (const call of made) {
    const { source } = call;
    if (source?.parent === undefined || call.parent?.source !== source.parent) continue;
    const siblings = byParent.get(source.parent);
    if (siblings === undefined) byParent.set(source.parent, new Map([[source, call]]));
    else siblings.set(source, call);
  }
  return [...byParent].flatMap(([parent, siblings]) => {
    const turns = findTurns(siblings, order, order.below(parent));
    const kept = mostInOrder(withPredecessors(turns, order), turns, order);
    return [...siblings].flatMap(([source, call]) => (turns.has(source) && !kept.has(source) ? [call] : []));
  });
}

/**
 * Skips a call if the recording has an equal one without an order between them, because which of them ran first is
 * unknown.
 */
function findTurns(siblings: Siblings, order: RecordedOrder, recorded: readonly RecordedNode[]): Turns {
  const alike = new Map<string, RecordedNode[]>();
  for (const node of recorded) {
    for (const likeness of new Set([toLikeness(node), exactLikeness(node), normalizedLikeness(node)])) {
      const nodes = alike.get(likeness);
      if (nodes === undefined) alike.set(likeness, [node]);
      else nodes.push(node);
    }
  }
  const ordered = new Map<string, boolean>();
  const turns = new Map<RecordedNode, number>();
  for (const [source, { args }] of siblings) {
    const likeness = foundBy(source, args);
    const isOrdered = ordered.get(likeness) ?? order.isSequence(alike.get(likeness) ?? []);
    ordered.set(likeness, isOrdered);
    if (isOrdered) turns.set(source, turns.size);
  }
  return turns;
}

/**
 * The identity of a call: its place and arguments, or the arguments without the parts that may differ; only its place if
 * they are unknown.
 */
function foundBy(source: RecordedNode, args: CallArguments | undefined): string {
  if (args?.identity === source.args?.identity) return exactLikeness(source);
  return args?.normalized === source.args?.normalized ? normalizedLikeness(source) : toLikeness(source);
}

function exactLikeness(node: RecordedNode): string {
  return toLikeness(node, { identity: node.args?.identity });
}

function normalizedLikeness(node: RecordedNode): string {
  return toLikeness(node, { normalized: node.args?.normalized });
}

function toLikeness({ path }: RecordedNode, args: Partial<CallArguments> = {}): string {
  return JSON.stringify([path.at(-1), args]);
}

/** The recorded calls that ran and all their predecessors, each after its predecessor. */
function withPredecessors(turns: Turns, order: RecordedOrder): RecordedNode[] {
  const placed = new Set<RecordedNode>();
  for (const made of turns.keys()) {
    const chain: RecordedNode[] = [];
    let node: RecordedNode | undefined = made;
    for (; node !== undefined && !placed.has(node); node = order.findPredecessor(node)) chain.push(node);
    for (const next of chain.reverse()) placed.add(next);
  }
  return [...placed];
}

/**
 * The largest set of calls that ran in order: the longest increasing subsequence, for a forest instead of a list.
 *
 * The pass from the last calls upwards keeps a list per call, for the call and everything after it. The number of list entries at or
 * after a turn is the number of calls that can be in order from that turn on. The pass downwards reads the chosen calls from the lists.
 */
function mostInOrder(forest: readonly RecordedNode[], turns: Turns, order: RecordedOrder): Set<RecordedNode> {
  const lists = new Map<RecordedNode | undefined, number[]>();
  const replaced = new Map<RecordedNode, number>();
  for (const node of forest.toReversed()) {
    const list = lists.get(node) ?? [];
    const turn = turns.get(node);
    if (turn !== undefined) {
      const at = placeIn(list, turn);
      replaced.set(node, list[at] ?? -1);
      list.splice(at, 1, turn);
    }
    lists.delete(node);
    const predecessor = order.findPredecessor(node);
    if (predecessor !== undefined) lists.set(predecessor, merge(lists.get(predecessor) ?? [], list));
  }
  const kept = new Set<RecordedNode>();
  const earliest = new Map<RecordedNode | undefined, number>();
  for (const node of forest) {
    const from = earliest.get(order.findPredecessor(node)) ?? 0;
    const turn = turns.get(node) ?? -1;
    const isKept = turn >= from && (replaced.get(node) ?? -1) < from;
    if (isKept) kept.add(node);
    earliest.set(node, isKept ? turn + 1 : from);
  }
  return kept;
}

/** The position of a turn in a list that is sorted latest first. */
function placeIn(list: readonly number[], turn: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) > turn) low = middle + 1;
    else high = middle;
  }
  return low;
}

function merge(one: number[], other: number[]): number[] {
  const [small, large] = one.length < other.length ? [one, other] : [other, one];
  for (const turn of small) large.splice(placeIn(large, turn), 0, turn);
  return large;
}

/**
 * The recorded order of calls below one parent: a call comes after its predecessor, and after all calls that the
 * predecessor comes after. Other pairs have no order.
 *
 * A recording without notes on order has one only if no two calls below the parent overlap. Even then, concurrent branches
 * may have taken turns by chance.
 */
class RecordedOrder {
  private readonly predecessors = new Map<RecordedNode, RecordedNode | undefined>();
  private readonly byParent = new Map<RecordedNode | undefined, RecordedNode[]>();

  /**
   * @param nodes in the order in which they started
   * @param coarsenessUs possible error of recorded times: calls that may overlap count as overlapping
   */
  constructor(nodes: readonly RecordedNode[], coarsenessUs: number) {
    for (const node of nodes) {
      const siblings = this.byParent.get(node.parent);
      if (siblings === undefined) this.byParent.set(node.parent, [node]);
      else siblings.push(node);
    }
    for (const siblings of this.byParent.values()) {
      if (siblings.some(({ call }) => call?.meta?.after !== undefined)) this.addNoted(siblings);
      else if (!overlap(siblings, coarsenessUs)) this.addSequence(siblings);
    }
  }

  findPredecessor(node: RecordedNode): RecordedNode | undefined {
    return this.predecessors.get(node);
  }

  /** The calls below a parent, in the order in which they started. */
  below(parent: RecordedNode): readonly RecordedNode[] {
    return this.byParent.get(parent) ?? [];
  }

  /** Whether each call comes after the one before it. */
  isSequence(nodes: readonly RecordedNode[]): boolean {
    return nodes.every((node, index) => index === 0 || this.comesAfter(node, nodes[index - 1]));
  }

  private comesAfter(node: RecordedNode, other: RecordedNode | undefined): boolean {
    let before = this.predecessors.get(node);
    while (before !== undefined && before !== other) before = this.predecessors.get(before);
    return before !== undefined;
  }

  private addNoted(siblings: readonly RecordedNode[]): void {
    // A predecessor is searched only among earlier calls, so that notes cannot create a cycle.
    const earlier = new Map<string | null | undefined, RecordedNode>();
    for (const node of siblings) {
      this.predecessors.set(node, earlier.get(node.call?.meta?.after));
      if (node.call !== undefined) earlier.set(node.call.span_id, node);
    }
  }

  private addSequence(siblings: readonly RecordedNode[]): void {
    let previous: RecordedNode | undefined;
    for (const node of siblings) {
      this.predecessors.set(node, previous);
      previous = node;
    }
  }
}

/** Whether two calls ran, or may have run, at the same time. */
function overlap(siblings: readonly RecordedNode[], coarsenessUs: number): boolean {
  let [latestStartUs, latestEndUs] = [-Infinity, -Infinity];
  return siblings.some(({ call }) => {
    if (call === undefined) return false;
    const { startUs, endUs } = readTimes(call);
    // Two calls without a duration may have started at the same time.
    const isApart = latestStartUs < startUs && latestEndUs <= startUs;
    [latestStartUs, latestEndUs] = [startUs, Math.max(latestEndUs, endUs + coarsenessUs)];
    return !isApart;
  });
}
