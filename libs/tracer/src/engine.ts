/**
 * The replay engine, for `@dacapo/testing`. It may change in any release: applications import `@dacapo/tracer`.
 *
 * @module
 */
export { CLIENT_ANSWERS } from './adapters/client-answers.js';
export { type ByteString, decodeText } from './byte-string.js';
export { withFileCodecs } from './capture/types/files.js';
export { contextStorage } from './context/context-storage.js';
export { sha256 } from './hashing.js';
export { keyless } from './keyless.js';
export type { Codec } from './options/capture-options.js';
export type { Recorder } from './recording/recorder.js';
export { readTracedKey } from './recording/record-call.js';
export type { OpenedCall, ReplayedCalls } from './recording/replay-scope.js';
export type { AnyFunction, SpanDefinition } from './recording/span-definition.js';
export { drain } from './replay/drain.js';
export { NetworkDeniedError, ReplayMockMissError } from './replay/errors.js';
export { ArgumentNormalizer } from './replay/mock/argument-normalizer.js';
export {
  areAlike,
  type CallArguments,
  findDifferingPaths,
  openedCallArguments,
  recordedCallArguments,
} from './replay/mock/call-arguments.js';
export { InnerCalls, type InnerCallsSettings } from './replay/mock/inner-calls.js';
export { MockPolicy } from './replay/mock/mock-policy.js';
export { guardNetwork } from './replay/network-guard.js';
export { OutcomeComparer } from './replay/outcome-comparer.js';
export { whyNotReplayable } from './replay/why-not-replayable.js';
export { Replayer } from './replay/replayer.js';
export { restoreRecord } from './service/recorded-media.js';
export { MemoryRunSource } from './replay/source/memory-run-source.js';
