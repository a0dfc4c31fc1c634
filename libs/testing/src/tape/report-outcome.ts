import type { ErrorRecord } from '@dacapo/protocol';
import { appendFileSync } from 'node:fs';
import type { CassetteCall } from '../cassette/cassette.js';
import { maskCalls } from '../cassette/mask-calls.js';
import { hashCassette } from '../cassette/read-cassette.js';
import { CassetteNotFixedError } from '../errors.js';
import type { CassetteOptions } from './cassette-options.js';
import type { TapedCalls } from './taped-calls.js';
import type { TapedRoot } from './taped-root.js';

/** Names a file to which each test on a cassette adds a line with its outcome. `dacapo prove` and `dacapo bisect` read it. */
export const OUTCOMES_FILE = 'DACAPO_CASSETTE_OUTCOMES';

/** How a test on a cassette ended. An exit code cannot tell a failure that was recorded from any other. */
export interface ReportedOutcome {
  readonly cassette: string;
  readonly sha256: string;
  readonly expect?: 'fixed';
  /** `recorded_failure`: the recorded call failed as it did, and every call inside it was answered. */
  readonly outcome: 'passed' | 'recorded_failure' | 'failed';
  /** What failed the test, masked. */
  readonly error?: Pick<ErrorRecord, 'name' | 'message' | 'code'>;
  readonly calls: readonly ReportedCall[];
}

/** An outermost call of the test. */
export interface ReportedCall {
  readonly key: string;
  readonly duration_ms?: number;
  /** Functions inside it that ran because `live` names them, by key. */
  readonly ran_live: Readonly<Record<string, number>>;
  /** Functions inside it that `answers` of the test replaced, by key. */
  readonly answered_by_test: Readonly<Record<string, number>>;
}

interface EndedTest {
  readonly file: string;
  readonly calls: TapedCalls;
  readonly options: CassetteOptions;
  /** `undefined` if it passed. */
  readonly error: unknown;
}

/** Adds a line, if a file is named. */
export function reportOutcome({ file, calls, options, error }: EndedTest): void {
  const { [OUTCOMES_FILE]: path } = process.env;
  if (path === undefined || path === '') return;
  const stillFails = calls.roots.some((root) => root.wasFailure && root.failsAsRecorded);
  const isRecordedFailure = error instanceof CassetteNotFixedError && stillFails;
  const outcome: ReportedOutcome = {
    cassette: file,
    sha256: hashCassette(file),
    ...(options.expect && { expect: options.expect }),
    outcome: error === undefined ? 'passed' : isRecordedFailure ? 'recorded_failure' : 'failed',
    ...(error !== undefined && { error: maskError(error) }),
    calls: calls.roots.map((root) => reportCall(root, calls)),
  };
  appendFileSync(path, `${JSON.stringify(outcome)}\n`);
}

export function reportCall({ key, durationMs, calls: { ran } }: TapedRoot, calls: TapedCalls): ReportedCall {
  const counts = [...ran];
  return {
    key,
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ran_live: Object.fromEntries(counts.filter(([name]) => !calls.hasAnswer(name))),
    answered_by_test: Object.fromEntries(counts.filter(([name]) => calls.hasAnswer(name))),
  };
}

/** Masks an error by the rules of cassettes. */
export function maskError(error: unknown): NonNullable<ReportedOutcome['error']> {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const record = { name, message, ...(typeof code === 'string' && { code }) };
  const call: CassetteCall = {
    path: [''],
    n: 1,
    start: 1,
    name: '',
    type: 'function',
    status: 'error',
    error: record,
  };
  return maskCalls([call])[0]?.error ?? record;
}
