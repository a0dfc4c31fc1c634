import {
  type CaptureMeta,
  type ErrorRecord,
  readValue,
  type RecordedCall,
  type TestRunItemRecord,
} from '@dacapo/protocol';
import type { Outcome } from './judge-outcome.js';

/** Stands for the error of a call that failed where none was recorded, as other libraries' spans may have it. */
const UNTOLD_ERROR: ErrorRecord = {
  name: 'Error',
  message: 'The call failed; its error was not recorded.',
  // Two errors that were not recorded need not be the same.
  cut: true,
};

/** What is stored of how a call ended. `output` beside an error is what a stream yielded before it failed. */
export interface StoredOutcome extends Pick<RecordedCall, 'output' | 'error' | 'meta'> {
  /** Absent: with its value, or with its error. */
  status?: RecordedCall['status'] | undefined;
}

/** The error that a call failed with, by its status and not by what is there of it; `undefined` where it did not fail. */
export function recordedError({
  status,
  error,
}: Pick<StoredOutcome, 'status' | 'error'>): ErrorRecord | undefined {
  return error ?? (status === 'error' ? UNTOLD_ERROR : undefined);
}

/** Whether it is known how a call ended: neither was it cancelled, nor is its end not recorded yet. */
export function hasEnded({ status }: Pick<StoredOutcome, 'status'>): boolean {
  return status !== 'unfinished' && status !== 'cancelled';
}

/**
 * How a stored call ended, for `judgeOutcome`.
 *
 * @returns `undefined` where that is not known: it had not ended, or it was cancelled before anything came
 */
export function recordedOutcome(call: StoredOutcome): Outcome | undefined {
  const { output, meta } = call;
  const error = recordedError(call);
  if (error !== undefined) return { error };
  const value = readValue({ json: output, meta: meta?.output });
  if (hasEnded(call)) return { value };
  return call.status === 'cancelled' && output !== undefined ? { value, isPartial: true } : undefined;
}

/** Notes on what came of a call, without those on its arguments; `undefined` where there are none. */
export function notesOfOutcome({ output, stream }: CaptureMeta = {}): CaptureMeta | undefined {
  if (output === undefined && stream === undefined) return undefined;
  return { ...(output && { output }), ...(stream && { stream }) };
}

/** What an item was compared with, as it is stored of the item. */
export function originalOutcomeOf({
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

/** What came of an item when it was played, as it is stored of the item. */
export function newOutcomeOf({
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
