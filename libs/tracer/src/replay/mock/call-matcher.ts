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
  /** The replayed key, if the replaying function is not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey: string | undefined;
}

/** Finds the recorded call of each inner call: by path and arguments, otherwise by place. */
export class CallMatcher {
  private readonly bySpanId = new Map<string, MadeCall>();
  /** The replayed call, for inner calls without a recorded parent, if the replayed function is not traced itself. */
  private untraced: MadeCall | undefined;
  private isHandedOn = false;

  constructor(private readonly parts: CallMatcherParts) {}

  /** Calls with a span, in the order of the calls, including the replayed one. */
  get made(): MadeCall[] {
    return [...this.bySpanId.values()];
  }

  get(spanId: string | undefined): MadeCall | undefined {
    return spanId === undefined ? undefined : this.bySpanId.get(spanId);
  }

  /** Adds a call, and returns whether it is the replayed one. */
  add(call: OpenedCall, isRoot: boolean): { readonly made: MadeCall; readonly isReplayed: boolean } {
    const { parentId, definition } = call.start;
    const isReplayed = isRoot || this.isReplayedInside(call);
    const made = isReplayed
      ? this.replayedCall(call.spanId, definition.type)
      : this.innerCall(call, this.get(parentId) ?? this.untracedCall());
    this.bySpanId.set(call.spanId, made);
    return { made, isReplayed };
  }

  /** The replayed call if it has no span. */
  untracedCall(): MadeCall {
    return (this.untraced ??= this.replayedCall('', 'custom'));
  }

  /** Reads the arguments of a call again, because their files are now read. */
  readArguments(call: OpenedCall, made: MadeCall): void {
    made.args = openedCallArguments(call, this.parts.normalizer);
  }

  /** Every call with its recorded call: calls that are still unknown are found by place. */
  matchAll(): MadeCall[] {
    const calls = this.untraced === undefined ? this.made : [this.untraced, ...this.made];
    for (const call of calls) this.match(call, { byPlace: true });
    return calls;
  }

  /**
   * Spans of adapters never pass through `bodyOf`, and their input is known late, so they are found by place. Equal
   * arguments come before arguments that are equal except for parts that may differ.
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

  /** Whether it is the call to which an unwrapped function passes its arguments; that call is replayed. */
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
