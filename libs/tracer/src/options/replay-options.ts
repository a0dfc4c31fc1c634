import type { ResolvedOptions } from './option.js';
import { type PlayOptions, RUN_OPTIONS, type UntypedRunOptions } from './run-options.js';
import { SELECTION_OPTIONS, type SelectionOptions } from './selection-options.js';

/** How stored calls are played again. */
export const REPLAY_OPTIONS = { ...SELECTION_OPTIONS, ...RUN_OPTIONS };

/** How stored calls are played again, whatever the function. */
export interface ReplayOptions extends UntypedRunOptions, SelectionOptions {}

/**
 * How stored calls are played again, with what is typed by the function.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it gives: a promise's value, of a stream the list
 */
export interface RunOptions<A extends unknown[] = unknown[], R = unknown>
  extends PlayOptions<A, R>, SelectionOptions {}

export type ResolvedReplayOptions = ResolvedOptions<typeof REPLAY_OPTIONS>;
