import type { Evaluators } from '@dacapo/evaluation';
import type { ReplayItem } from '../replay-types.js';
import type { GivenOptions } from './option.js';
import { RUN_OPTIONS } from './run-options.js';

const { evaluators, gate, name, keep, maxConcurrency, timeoutMs, onStart, onItem, signal } = RUN_OPTIONS;

/** How the stored outcomes of a run are judged again. */
export const RESCORE_OPTIONS = {
  evaluators,
  gate,
  name,
  keep,
  maxConcurrency,
  timeoutMs,
  onStart,
  onItem,
  signal,
};

/**
 * How the stored outcomes of a run are judged again. Each option means what it means for a replay.
 *
 * @typeParam A arguments of the function that the run replayed
 * @typeParam R what it returns
 */
export interface RescoreOptions<A extends unknown[] = unknown[], R = unknown> extends Omit<
  GivenOptions<typeof RESCORE_OPTIONS>,
  'evaluators' | 'onItem'
> {
  /** What judges each item: a list, or a record of names. */
  evaluators: Evaluators<A, R>;
  /** Called with each item once it is judged. */
  onItem?: ((item: ReplayItem<A, R>) => void) | undefined;
}
