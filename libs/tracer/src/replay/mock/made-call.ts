import type { UsageSpan } from '@dacapo/evaluation';
import type { CallArguments } from './call-arguments.js';
import type { RecordedNode } from './recorded-tree.js';

/** A call of the candidate, with its place below the replayed one. */
export interface MadeCall extends Pick<UsageSpan, 'spanId' | 'type'> {
  /** Absent on the replayed call itself. */
  readonly parent: MadeCall | undefined;
  /** Trace function keys from below the replayed call down to this one. */
  readonly path: readonly string[];
  args: CallArguments | undefined;
  /** Whether it ran where nothing is recorded, also not in the recording. */
  readonly isUnseen: boolean;
  /** Its recorded call. */
  source: RecordedNode | undefined;
  /** Whether `source` was found by arguments that are equal except for parts that may differ. */
  normalized?: { readonly isAmbiguous: boolean } | undefined;
  /** Whether it was searched in the recording. */
  isLookedUp: boolean;
  /** Whether `source` is the call in the same place with other arguments. */
  hasOtherArguments: boolean;
  /** Whether its function did not run. */
  isMocked: boolean;
  /** The usage of a model call, after its end. */
  usage: UsageSpan['usage'];
  /** Whether it ended with an error. */
  hasFailed: boolean;
  /** Whether the options let it run. */
  isLive: boolean;
  /** Why the outcome of its `source` could not be restored. */
  unanswerable: string | undefined;
}
