import {
  type CaptureMeta,
  type ErrorRecord,
  readValue,
  type RecordedCall,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import type { Outcome } from './judge-outcome.js';

/** Placeholder for a failed call without a recorded error, such as in spans of other libraries. */
const UNRECORDED_ERROR: ErrorRecord = {
  name: 'Error',
  message: 'The call failed; its error was not recorded.',
  // Marked as cut, because two unrecorded errors need not be equal.
  cut: true,
};

/** The stored outcome of a call. With an error, `output` is what a stream yielded before it failed. */
export interface StoredOutcome extends Pick<RecordedCall, 'output' | 'error' | 'meta'> {
  /** Absent if the call ended with a value or an error. */
  status?: RecordedCall['status'] | undefined;
}

/** The error of a call whose status says it failed, even if none was recorded; `undefined` if it did not fail. */
export function recordedError({
  status,
  error,
}: Pick<StoredOutcome, 'status' | 'error'>): ErrorRecord | undefined {
  return error ?? (status === 'error' ? UNRECORDED_ERROR : undefined);
}

/** Whether the outcome is known: the call is neither cancelled nor unfinished. */
export function hasEnded({ status }: Pick<StoredOutcome, 'status'>): boolean {
  return status !== 'unfinished' && status !== 'cancelled';
}

/**
 * Converts a stored call to an outcome for `judgeOutcome`.
 *
 * @returns `undefined` if the outcome is unknown: the call is unfinished, or was cancelled without any output
 */
export function recordedOutcome(call: StoredOutcome): Outcome | undefined {
  const { output, meta } = call;
  const error = recordedError(call);
  if (error !== undefined) return { error };
  const value = readValue({ json: output, meta: meta?.output });
  if (hasEnded(call)) return { value };
  return call.status === 'cancelled' && output !== undefined ? { value, isPartial: true } : undefined;
}

/** Notes on the outcome of a call, without those on its arguments; `undefined` without any. */
export function pickOutcomeNotes({ output, stream }: CaptureMeta = {}): CaptureMeta | undefined {
  if (output === undefined && stream === undefined) return undefined;
  return { ...(output && { output }), ...(stream && { stream }) };
}

/** The stored baseline of an item. */
export function readBaselineOutcome({
  original_status: status,
  original_error: error,
  original_output: output,
  original_meta: meta,
}: Pick<
  TestRunItemRecord,
  'original_status' | 'original_error' | 'original_output' | 'original_meta'
>): StoredOutcome {
  return {
    ...(status && { status }),
    ...(error && { error }),
    ...(output !== undefined && { output }),
    ...(meta && { meta }),
  };
}

/** The stored new outcome of an item. */
export function readCandidateOutcome({
  error,
  result,
  meta,
}: Pick<TestRunItemRecord, 'error' | 'result' | 'meta'>): StoredOutcome {
  return {
    ...(error && { error }),
    ...(result !== undefined && { output: result }),
    ...(meta && { meta }),
  };
}
