/**
 * The file format of cassettes, for other packages of this project. It may change in any release.
 *
 * @module
 */
export type { Cassette, CassetteCall } from './cassette/cassette.js';
export { toBlobFolder, toCassetteFile } from './cassette/cassette-file.js';
export { hashRedactionRules, maskCalls } from './cassette/mask-calls.js';
export { hashCassette, readCassette } from './cassette/read-cassette.js';
export { toRecordedRoots } from './cassette/to-recorded-calls.js';
export { type PlacedCall } from './cassette/to-cassette-calls.js';
export { writeCassette } from './cassette/write-cassette.js';
export { type ReplayedRoot, replayRoot } from './replay/replay-root.js';
export { findFunction } from './tape/replayed-call.js';
export { maskError, OUTCOMES_FILE, type ReportedOutcome } from './tape/report-outcome.js';
export { restoreRecord } from '@dacapo/tracer/engine';
