import type { RecordedInstance } from '@dacapo/protocol';
import type { ReplayItem, ReplaySource } from '../replay-types.js';

/** Names the option by which an integration has its part in the playing of calls. */
export const REPLAY_HOOKS = Symbol.for('@dacapo/play-hooks');

/** What an integration does when a recorded call is played. What it throws is the error of the item. */
export interface ReplayHooks {
  /** Classes that share the key: unless the caller names classes, calls that were recorded on them are not selected. */
  readonly exceptClasses?: readonly string[] | undefined;
  /** Keys of calls that do not happen here, such as those of event listeners that were not started: their absence is no divergence. */
  readonly leftOutKeys?: ReadonlySet<string> | undefined;
  /** The other hooks ask where the call comes from: without it `adapt` and `around` are not called. */
  readonly needsSource: boolean;
  /** Makes the arguments of the recorded ones. What it replaces may be missing in the record. */
  readonly adapt?:
    ((args: unknown[], source: ReplaySource) => readonly unknown[] | Promise<readonly unknown[]>) | undefined;
  /**
   * Makes arguments of their classes again. With it, calls are played too whose objects miss nothing but their methods.
   *
   * @param instances objects of classes without a codec in `args`: they are plain data. None that had methods may reach the
   * function as it is
   * @param note tells, on the item, of what does not fit
   */
  readonly rebuild?:
    | ((
        args: readonly unknown[],
        instances: ReadonlyMap<object, RecordedInstance>,
        note: (text: string) => void,
      ) => readonly unknown[] | Promise<readonly unknown[]>)
    | undefined;
  /** What the function is called on. Default: `undefined`. */
  readonly self?: ((args: readonly unknown[], source: ReplaySource | undefined) => unknown) | undefined;
  /** Sets up what the call needs around it: calls `call`, once, and waits for it. What it returns itself is ignored. */
  readonly around?: ((call: () => Promise<unknown>, source: ReplaySource) => unknown) | undefined;
}

export interface ReplayHooksOption {
  [REPLAY_HOOKS]?: ReplayHooks | undefined;
}

/** Names the option by which a command sees what it may print of each item, in place of `onItem`. */
export const MASKED_ITEMS = Symbol.for('@dacapo/masked-items');

/** An item as it is recorded: secrets are masked, and what `capture` does not record is absent. */
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
