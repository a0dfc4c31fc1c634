import { keyless } from '@dacapo/tracer/engine';

// Tracers without a key record in memory from now on, so that cassettes can answer their functions.
keyless.isRecorded = true;

export {
  CassetteAssertionError,
  CassetteFileError,
  CassetteMissError,
  CassetteNotFixedError,
  CassetteSetupError,
  TestingError,
} from './errors.js';
export {
  assertMatchesRecording,
  assertNoRegressions,
  assertPassesGate,
  type CassetteMatchers,
  type MatcherResult,
  toHaveNoRegressions,
  toMatchRecording,
  toPassGate,
} from './matchers/matchers.js';
export type { RegressionOptions } from './matchers/find-regressions.js';
export { replayCassettes, type ReplayCassettesOptions } from './replay/replay-cassettes.js';
export type { CassetteMode } from './tape/cassette-mode.js';
export type { CassetteOptions } from './tape/cassette-options.js';
export type { Tape, TapeReport } from './tape/tape.js';
export { type CassetteTest, withCassette } from './tape/with-cassette.js';
