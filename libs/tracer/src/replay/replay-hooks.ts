import type { RecordedInstance } from '@dacapo/protocol';
import type { ReplayItem, ReplaySource } from '../replay-types.js';

/** The option with which an integration hooks into replays. */
export const REPLAY_HOOKS = Symbol.for('@dacapo/play-hooks');

/** What an integration does when a recorded call is replayed. What it throws is the error of the item. */
export interface ReplayHooks {
  /** Other classes with the same key. Their calls are not selected, unless the caller names classes. */
  readonly exceptClasses?: readonly string[] | undefined;
  /** Keys of calls that cannot happen here, such as those of event listeners that were not started. Their absence is not a divergence. */
  readonly leftOutKeys?: ReadonlySet<string> | undefined;
  /** Whether the other hooks need the call's source. Without a source, `adapt` and `around` are not called. */
  readonly needsSource: boolean;
  /** Adapts the recorded arguments. Replaced parts may be missing in the record. */
  readonly adapt?:
    ((args: unknown[], source: ReplaySource) => readonly unknown[] | Promise<readonly unknown[]>) | undefined;
  /**
   * Restores the classes of arguments. With it, calls whose objects lack only their methods are replayed too.
   *
   * @param instances objects in `args` whose classes have no codec. They are plain data, and an object whose class had methods must be
   * replaced before the call
   * @param note adds a note about mismatches to the item
   */
  readonly rebuild?:
    | ((
        args: readonly unknown[],
        instances: ReadonlyMap<object, RecordedInstance>,
        note: (text: string) => void,
      ) => readonly unknown[] | Promise<readonly unknown[]>)
    | undefined;
  /** The `this` of the function. Default: `undefined`. */
  readonly self?: ((args: readonly unknown[], source: ReplaySource | undefined) => unknown) | undefined;
  /** Sets up the environment of the call: calls `call` once and awaits it. Its own result is ignored. */
  readonly around?: ((call: () => Promise<unknown>, source: ReplaySource) => unknown) | undefined;
}

export interface ReplayHooksOption {
  [REPLAY_HOOKS]?: ReplayHooks | undefined;
}

/** The option with which a command receives the printable facts of each item, instead of `onItem`. */
export const MASKED_ITEMS = Symbol.for('@dacapo/masked-items');

/** An item as recorded: secrets are masked, and values that `capture` omits are absent. */
export type MaskedItem = Pick<
  ReplayItem,
  | 'itemNo'
  | 'repetition'
  | 'sourceSpanId'
  | 'sessionId'
  | 'verdict'
  | 'durationMs'
  | 'input'
  | 'result'
  | 'error'
  | 'scores'
>;

export interface MaskedItemsOption {
  [MASKED_ITEMS]?: (item: MaskedItem) => void;
}
