import type { UsageSpan } from '@dacapo/evaluation';
import type { CallArguments } from './call-arguments.js';
import type { RecordedNode } from './recorded-tree.js';

/** A call that the new version made, in its place below the replayed one. */
export interface MadeCall extends Pick<UsageSpan, 'spanId' | 'type'> {
  /** Absent on the replayed call itself. */
  readonly parent: MadeCall | undefined;
  /** Trace function keys from below the replayed call down to this one. */
  readonly path: readonly string[];
  args: CallArguments | undefined;
  /** It was made where nothing is recorded, in the recording neither. */
  readonly isUnseen: boolean;
  /** The recorded call that it is. */
  source: RecordedNode | undefined;
  /** `source` was found by arguments that are equal but for the parts that may differ. */
  normalized?: { readonly isAmbiguous: boolean } | undefined;
  /** It was looked for in the recording. */
  isLookedUp: boolean;
  /** `source` is the call that stood at its place, with other arguments. */
  hasOtherArguments: boolean;
  /** Its function did not run. */
  isMocked: boolean;
  /** Of a model call, once it ended. */
  usage: UsageSpan['usage'];
  /** It ended by an error. */
  hasFailed: boolean;
  /** The replay was asked to let it run. */
  isLive: boolean;
  /** Why the outcome of its `source` could not be given. */
  unanswerable: string | undefined;
}
