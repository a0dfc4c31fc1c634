import type { RecordedDescendant } from '@dacapo/protocol';
import { ArgumentNormalizer } from './argument-normalizer.js';
import { recordedCallArguments, type CallArguments } from './call-arguments.js';
import { measureCoarseness } from './recorded-times.js';

/** A recorded call in its place below the replayed one. */
export interface RecordedNode {
  /** Absent on the replayed call itself. */
  readonly call: RecordedDescendant | undefined;
  readonly parent: RecordedNode | undefined;
  /** Trace function keys from below the replayed call down to this one. */
  readonly path: readonly string[];
  readonly args: CallArguments | undefined;
  /** Whether a call of the replay matched it. */
  isTaken: boolean;
}

/** Matches any arguments. */
export const ANY = Symbol('any arguments');

/** The recorded calls below the replayed one, searchable by path and arguments. Each is found once. */
export class RecordedTree {
  readonly root: RecordedNode = {
    call: undefined,
    parent: undefined,
    path: [],
    args: undefined,
    isTaken: true,
  };
  /** In the order in which they started. */
  readonly nodes: readonly RecordedNode[];
  /** Possible error of call times. */
  readonly coarsenessUs: number;
  private readonly byPath = new Map<string, RecordedNode[]>();
  private readonly takenNormalized = new Set<RecordedNode>();

  /** @param calls in the order in which they started */
  constructor(
    rootSpanId: string,
    calls: readonly RecordedDescendant[],
    normalizer = new ArgumentNormalizer(),
  ) {
    this.coarsenessUs = measureCoarseness(calls);
    const known = new Map([[rootSpanId, this.root]]);
    const byId = new Map(calls.map((call) => [call.span_id, call]));
    this.nodes = calls.map((call) => placeCall(call, byId, known, normalizer));
    for (const node of this.nodes) {
      const key = toKey(node.path);
      const siblings = this.byPath.get(key);
      if (siblings === undefined) this.byPath.set(key, [node]);
      else siblings.push(node);
    }
  }

  at(path: readonly string[]): readonly RecordedNode[] {
    return this.byPath.get(toKey(path)) ?? [];
  }

  /**
   * Takes the first free call at a path, preferring calls of `parent`.
   *
   * @param identity of its arguments; `ANY`: only by place. Arguments that cannot be compared match nothing
   */
  take(
    path: readonly string[],
    parent: RecordedNode | undefined,
    identity: string | typeof ANY | undefined,
  ): RecordedNode | undefined {
    const open = this.at(path).filter(
      (node) =>
        !node.isTaken && (identity === ANY || (identity !== undefined && node.args?.identity === identity)),
    );
    const found = open.find((node) => node.parent === parent) ?? open[0];
    if (found !== undefined) found.isTaken = true;
    return found;
  }

  /**
   * Takes the first free call at a path whose arguments are equal except for parts that may differ, preferring calls of
   * `parent`. The match is ambiguous if calls with other arguments match as well.
   */
  takeNormalized(
    path: readonly string[],
    parent: RecordedNode | undefined,
    normalized: string,
  ): { readonly node: RecordedNode; readonly isAmbiguous: boolean } | undefined {
    const alike = this.at(path).filter(({ args }) => args?.normalized === normalized);
    const below = alike.filter((node) => node.parent === parent);
    const isOpen = ({ isTaken }: RecordedNode): boolean => !isTaken;
    const candidates = below.some(isOpen) ? below : alike;
    const node = candidates.find(isOpen);
    if (node === undefined) return undefined;
    // A match by equal arguments is certain.
    const possible = candidates.filter((other) => isOpen(other) || this.takenNormalized.has(other));
    node.isTaken = true;
    this.takenNormalized.add(node);
    const isAmbiguous = new Set(possible.map((other) => other.args?.identity ?? other)).size > 1;
    return { node, isAmbiguous };
  }
}

/** By its clock, a child may have started before its parent, so parents are placed when needed. */
function placeCall(
  call: RecordedDescendant,
  byId: ReadonlyMap<string, RecordedDescendant>,
  known: Map<string, RecordedNode>,
  normalizer: ArgumentNormalizer,
): RecordedNode {
  const chain: RecordedDescendant[] = [];
  for (
    let above: RecordedDescendant | undefined = call;
    above !== undefined && !known.has(above.span_id) && !chain.includes(above);
    above = byId.get(above.parent_id)
  ) {
    chain.push(above);
  }
  for (const below of chain.reverse()) {
    const parent = known.get(below.parent_id);
    normalizer.sawRecorded(below.trace_function_key);
    known.set(below.span_id, {
      call: below,
      parent,
      path: [...(parent?.path ?? []), below.trace_function_key],
      args: recordedCallArguments(below, normalizer),
      isTaken: false,
    });
  }
  return known.get(call.span_id) as RecordedNode;
}

function toKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
