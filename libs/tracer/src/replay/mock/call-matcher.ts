import type { SpanType } from '@dacapo/protocol';
import type { OpenedCall } from '../../recording/replay-scope.js';
import type { ArgumentNormalizer } from './argument-normalizer.js';
import { openedCallArguments } from './call-arguments.js';
import type { MadeCall } from './made-call.js';
import type { MockPolicy } from './mock-policy.js';
import { ANY, type RecordedNode, type RecordedTree } from './recorded-tree.js';

export interface CallMatcherParts {
  readonly recorded: RecordedTree;
  readonly normalizer: ArgumentNormalizer;
  readonly policy: MockPolicy;
  /** The replayed key, where the function that replays it was not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey: string | undefined;
}

/** Finds the recorded call that each call inside a replayed one is: by its path and its arguments, else by its place. */
export class CallMatcher {
  private readonly bySpanId = new Map<string, MadeCall>();
  /** The replayed call, for those that have no recorded one above them: where what is replayed is not traced itself. */
  private untraced: MadeCall | undefined;
  private isHandedOn = false;

  constructor(private readonly parts: CallMatcherParts) {}

  /** Those with a span, in the order in which they were made; the replayed one among them. */
  get made(): MadeCall[] {
    return [...this.bySpanId.values()];
  }

  get(spanId: string | undefined): MadeCall | undefined {
    return spanId === undefined ? undefined : this.bySpanId.get(spanId);
  }

  /** Adds a call, and says whether it is the replayed one. */
  add(call: OpenedCall): { readonly made: MadeCall; readonly isReplayed: boolean } {
    const { parentId, definition, isReplayRoot = false } = call.start;
    const isReplayed = isReplayRoot || this.isReplayedInside(call);
    const made = isReplayed
      ? this.replayedCall(call.spanId, definition.type)
      : this.innerCall(call, this.get(parentId) ?? this.untracedCall());
    this.bySpanId.set(call.spanId, made);
    return { made, isReplayed };
  }

  /** The replayed call where it has no span. */
  untracedCall(): MadeCall {
    return (this.untraced ??= this.replayedCall('', 'custom'));
  }

  /** Reads the arguments of a call again: their files are read now. */
  readArguments(call: OpenedCall, made: MadeCall): void {
    made.args = openedCallArguments(call, this.parts.normalizer);
  }

  /** Every call with the recorded call that it is: what is still unknown is found by its place. */
  matchAll(): MadeCall[] {
    const calls = this.untraced === undefined ? this.made : [this.untraced, ...this.made];
    for (const call of calls) this.match(call, { byPlace: true });
    return calls;
  }

  /**
   * Spans of adapters never pass through `bodyOf`, and what went into them is known late: they are found by their place. Equal
   * arguments come before those that are equal but for the parts that may differ.
   */
  match(made: MadeCall, { byPlace }: { byPlace: boolean }): void {
    if (made.isLookedUp) return;
    made.isLookedUp = true;
    const { parent, path, args } = made;
    const { recorded } = this.parts;
    if (parent !== undefined) this.match(parent, { byPlace: true });
    if (args !== undefined) made.source = recorded.take(path, parent?.source, args.identity);
    if (made.source === undefined && args?.normalized !== undefined) {
      const found = recorded.takeNormalized(path, parent?.source, args.normalized);
      made.source = found?.node;
      made.normalized = found && { isAmbiguous: found.isAmbiguous };
    }
    if (byPlace) made.source ??= recorded.take(path, parent?.source, ANY);
  }

  /** Takes the next call at the same place, whatever its arguments. */
  takePlace(made: MadeCall): void {
    if (made.source !== undefined) return;
    const above: RecordedNode | undefined = made.parent?.source;
    const next = this.parts.recorded
      .at(made.path)
      .find(({ isTaken, parent }) => !isTaken && (above === undefined || parent === above));
    if (next === undefined) return;
    next.isTaken = true;
    made.source = next;
    made.hasOtherArguments = made.args !== undefined && next.args !== undefined;
  }

  /** Whether it is the call that a function which was not wrapped hands its arguments on to: that one is replayed. */
  private isReplayedInside({ start: { parentId, definition } }: OpenedCall): boolean {
    const { bareKey, recorded } = this.parts;
    const { key } = definition;
    const parent = this.get(parentId);
    if (this.isHandedOn || key !== bareKey || parent === undefined) return false;
    return (this.isHandedOn = parent.path.length === 0 && recorded.at([key]).length === 0);
  }

  private innerCall(call: OpenedCall, parent: MadeCall): MadeCall {
    const { definition } = call.start;
    const { normalizer, policy } = this.parts;
    return {
      spanId: call.spanId,
      type: definition.type,
      usage: undefined,
      hasFailed: false,
      parent,
      path: [...parent.path, definition.key],
      args: openedCallArguments(call, normalizer),
      isUnseen: !call.trace.sampled,
      source: undefined,
      isLookedUp: false,
      hasOtherArguments: false,
      isMocked: false,
      isLive: policy.isLive(definition),
      unanswerable: undefined,
    };
  }

  private replayedCall(spanId: string, type: SpanType): MadeCall {
    return {
      spanId,
      type,
      usage: undefined,
      hasFailed: false,
      parent: undefined,
      path: [],
      args: undefined,
      isUnseen: false,
      source: this.parts.recorded.root,
      isLookedUp: true,
      hasOtherArguments: false,
      isMocked: false,
      isLive: false,
      unanswerable: undefined,
    };
  }
}
