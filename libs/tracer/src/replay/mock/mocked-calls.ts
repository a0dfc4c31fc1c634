import { types } from 'node:util';
import type { RecordedCall, RecordedDescendant } from '@dacapo/protocol';
import type { Codec } from '../../capture/codec.js';
import type { OpenedCall, ReplayedCalls } from '../../recording/replay-scope.js';
import { ReplayMockMissError } from '../errors.js';
import type { SpanDefinition } from '../../recording/span-definition.js';
import type { ReplayDivergence } from '../replay-result.js';
import { argumentsOfOpened } from './call-arguments.js';
import { findDivergences } from './find-divergences.js';
import type { MadeCall } from './made-call.js';
import { nearest } from './nearest-text.js';
import { type NoOutcome, outcomeOf, RECORD_AGAIN } from './recorded-outcome.js';
import { RecordedTree } from './recorded-tree.js';
import { shorten } from './shorten.js';

type Callable = (...args: never[]) => unknown;

const LONGEST_IN_A_MESSAGE = 300;

export interface MockSettings {
  /** Whether all wrapped functions are mocked, or those marked with `mockOnReplay` alone. */
  readonly mock: 'marked' | 'all';
  readonly onMockMiss: 'fail' | 'run';
  readonly codecs: readonly Codec[];
  /** The played key, where the function that plays it was not wrapped: `(order) => shop.place(order)`. */
  readonly bareKey?: string | undefined;
}

/** Answers the calls inside one replayed call from its recording, and notes how they differ from those. */
export class MockedCalls implements ReplayedCalls {
  private readonly recorded: RecordedTree;
  private readonly made = new Map<string, MadeCall>();
  /** The played call, for those that have no recorded one above them: where what is played is not traced itself. */
  private untraced: MadeCall | undefined;
  private isHandedOn = false;

  constructor(
    replayedSpanId: string,
    calls: readonly RecordedDescendant[],
    private readonly settings: MockSettings,
  ) {
    this.recorded = new RecordedTree(replayedSpanId, calls);
  }

  opened(call: OpenedCall): void {
    const { parentId, definition, sourceSpanId } = call.start;
    if (sourceSpanId !== undefined || this.isPlayedInside(call)) {
      this.made.set(call.spanId, this.playedCall(call.spanId));
      return;
    }
    const parent = (parentId !== undefined && this.made.get(parentId)) || this.untracedCall();
    this.made.set(call.spanId, {
      spanId: call.spanId,
      parent,
      path: [...parent.path, definition.key],
      args: argumentsOfOpened(call),
      source: undefined,
      isLookedUp: false,
      isMocked: false,
      unanswerable: undefined,
    });
  }

  bodyOf(call: OpenedCall, fn: Callable): Callable {
    const made = this.made.get(call.spanId);
    if (made?.parent === undefined) return fn;
    const isMocked = this.isMocked(call.start.definition);
    // A call that runs may be one of whose arguments nothing is known; one that is answered may not.
    this.lookUp(made, { byPlace: !isMocked && made.args === undefined });
    if (!isMocked) return fn;
    const source = made.source?.call;
    if (source === undefined) return this.miss(made, fn);
    const outcome = outcomeOf(source, this.settings.codecs, (reason) => {
      made.unanswerable = reason;
      throw new ReplayMockMissError({ path: made.path, problem: reason, cure: RECORD_AGAIN });
    });
    if ('reason' in outcome) {
      made.unanswerable = outcome.reason;
      return this.miss(made, fn, outcome);
    }
    made.isMocked = true;
    call.mockedFrom = source.span_id;
    return answer(fn, source, outcome.give);
  }

  unrecorded(definition: SpanDefinition): void {
    if (this.settings.onMockMiss === 'run' || !this.isMocked(definition)) return;
    throw new ReplayMockMissError({
      path: [definition.key],
      problem: 'its tracer does not record it',
      cure: 'Turn its tracer on',
    });
  }

  divergences(): ReplayDivergence[] {
    const made = [...(this.untraced === undefined ? [] : [this.untraced]), ...this.made.values()];
    for (const call of made) this.lookUp(call, { byPlace: true });
    return findDivergences(this.recorded, made);
  }

  /** Whether it is the call that a function which was not wrapped hands its arguments on to: that one is played. */
  private isPlayedInside({ start: { parentId, definition } }: OpenedCall): boolean {
    const { key } = definition;
    const parent = parentId === undefined ? undefined : this.made.get(parentId);
    if (this.isHandedOn || key !== this.settings.bareKey || parent === undefined) return false;
    return (this.isHandedOn = parent.path.length === 0 && this.recorded.at([key]).length === 0);
  }

  private isMocked({ mockOnReplay }: SpanDefinition): boolean {
    return this.settings.mock === 'all' || mockOnReplay;
  }

  private untracedCall(): MadeCall {
    return (this.untraced ??= this.playedCall(''));
  }

  private playedCall(spanId: string): MadeCall {
    return {
      spanId,
      parent: undefined,
      path: [],
      args: undefined,
      source: this.recorded.root,
      isLookedUp: true,
      isMocked: false,
      unanswerable: undefined,
    };
  }

  /** Spans of adapters never pass through `bodyOf`, and what went into them is known late: they are found by their place. */
  private lookUp(made: MadeCall, { byPlace }: { byPlace: boolean }): void {
    if (made.isLookedUp) return;
    made.isLookedUp = true;
    const { parent, path, args } = made;
    if (parent !== undefined) this.lookUp(parent, { byPlace: true });
    if (args !== undefined) made.source = this.recorded.take(path, parent?.source, args.identity);
    if (byPlace) made.source ??= this.recorded.take(path, parent?.source, undefined);
  }

  private miss(made: MadeCall, fn: Callable, none?: NoOutcome): Callable {
    if (this.settings.onMockMiss === 'run') return fn;
    made.isMocked = true;
    const like = made.source?.call ?? this.recorded.at(made.path)[0]?.call;
    return answer(fn, like, () => {
      throw this.errorOf(made, none);
    });
  }

  private errorOf(made: MadeCall, none: NoOutcome | undefined): ReplayMockMissError {
    const { path, args } = made;
    const texts = this.recorded.at(path).flatMap((node) => node.args?.json ?? []);
    const nearestArguments = args && texts[nearest(args.json, texts)];
    return new ReplayMockMissError({
      path,
      problem: none?.reason ?? this.problemOf(made, nearestArguments),
      cure: none?.cure,
      askedArguments: args?.json,
      nearestArguments,
    });
  }

  private problemOf({ path, args }: MadeCall, closest: string | undefined): string {
    if (args === undefined)
      return 'its arguments are not recorded, and order alone tells no call from another';
    const recorded = this.recorded.at(path);
    if (recorded.length === 0) return 'there is no such call in it';
    if (recorded.some((node) => node.args?.identity === args.identity))
      return `it holds fewer calls with the arguments ${shorten(args.json, LONGEST_IN_A_MESSAGE)}`;
    const rest =
      closest === undefined
        ? 'its calls were recorded without arguments'
        : `nearest: ${shorten(closest, LONGEST_IN_A_MESSAGE)}`;
    return `it has no call with the arguments ${shorten(args.json, LONGEST_IN_A_MESSAGE)}; ${rest}`;
  }
}

/** By a promise if the function of today promises; where that does not show, if the recorded one did, if there is one. */
function answer(fn: Callable, recorded: RecordedCall | undefined, give: () => unknown): Callable {
  // Of generator functions both kinds give their generator at once, and Node calls the asynchronous kind async as well.
  const isSync =
    types.isGeneratorFunction(fn) ||
    (!types.isAsyncFunction(fn) && (recorded === undefined || recorded.meta?.sync === true));
  return isSync
    ? give
    : () =>
        new Promise((resolve) => {
          resolve(give());
        });
}
