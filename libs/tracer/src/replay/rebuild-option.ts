import type { RecordedInstance } from '@dacapo/protocol';

/** Names the option by which an integration makes arguments of their classes again, before the function gets them. */
export const REBUILD_ARGUMENTS = Symbol.for('@dacapo/rebuild-arguments');

/**
 * Makes the arguments that the function gets of the recorded ones. Runs inside the replayed call; what it throws is the
 * error of the item.
 *
 * @param instances objects of classes without a codec in `args`: they are plain data. None that had methods may reach
 * the function as it is
 */
export type RebuildArguments = (
  args: unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
) => unknown[] | Promise<unknown[]>;

/** For integrations: with it, calls are played too whose objects miss nothing but their methods. */
export interface RebuildOption {
  [REBUILD_ARGUMENTS]?: RebuildArguments | undefined;
}
