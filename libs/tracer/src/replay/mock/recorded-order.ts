import { readTimes } from './recorded-times.js';
import type { RecordedNode } from './recorded-tree.js';

/**
 * The order that a recording gives to calls below one parent: a call comes after its predecessor, and after all calls that the
 * predecessor comes after. Calls that neither comes after the other have no order.
 *
 * A recording without notes on order has one only where no two calls below the parent overlap. Even then concurrent branches
 * may have taken turns by chance.
 */
export class RecordedOrder {
  private readonly predecessors = new Map<RecordedNode, RecordedNode | undefined>();
  private readonly byParent = new Map<RecordedNode | undefined, RecordedNode[]>();

  /**
   * @param nodes in the order in which they started
   * @param coarsenessUs how far recorded times may be off: calls that may overlap count as overlapping
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
    // A predecessor is looked for among earlier calls alone, so that no note makes a cycle.
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
    // Two calls that took no time may have begun at one moment.
    const isApart = latestStartUs < startUs && latestEndUs <= startUs;
    [latestStartUs, latestEndUs] = [startUs, Math.max(latestEndUs, endUs + coarsenessUs)];
    return !isApart;
  });
}
