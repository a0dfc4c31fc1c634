/**
 * The entry for other packages of this project. It may change in any release; applications import `@dacapo/tracer`.
 *
 * @module
 */
export { classTraits, type ClassTraits, type RecordedInstance } from '@dacapo/protocol';
export { isBound } from './context/bind.js';
export { findRxjsCopy } from './context/observables/rxjs-copy.js';
export {
  holdSubscribersContext,
  releaseSubscribersContext,
} from './context/observables/subscribe-wrapper.js';
export { isInsideTracedWork } from './context/propagation.js';
export { addInBatches } from './datasets/add-in-batches.js';
export { answeredAtOnce } from './diagnostics/answer-at-once.js';
export { HttpDelivery } from './delivery/http-delivery.js';
export { defaultSpoolRoot } from './delivery/spool/default-spool-root.js';
export { requeueQuarantined } from './delivery/spool/quarantine.js';
export {
  isFolderName,
  listSpoolFolders,
  purgeQuarantine,
  purgeSpoolFolder,
  type SpoolFolderSummary,
} from './delivery/spool/spool-folders.js';
export { findTracer } from './find-tracer.js';
export { EVAL_FIELDS } from './options/eval-fields.js';
export { findUnknownOption, findWrongValue, type WrongOption } from './options/check-options.js';
export {
  callback,
  flag,
  type GivenOptions,
  type Option,
  option,
  type OptionTable,
  text,
} from './options/option.js';
export { incomingRuleOption } from './options/incoming-option.js';
export { resolveSelection } from './options/selection-options.js';
export { SPAN_OPTIONS } from './options/span-options.js';
export { TRACER_OPTIONS } from './options/tracer-options.js';
export { liveTracers, reviveTracer, unregisterTracer } from './live-tracers.js';
export {
  DeferredSpan,
  type DeferredSpanDescription,
  type DeferredWork,
  deferSpan,
} from './recording/deferred-span.js';
export type { IncomingOrigin } from './recording/incoming-policy.js';
export { defineSpan, type SpanDefinition, type SpanDefinitionOptions } from './recording/span-definition.js';
export { readTracedKey } from './recording/record-call.js';
export { describeArgument } from './replay/why-not-replayable.js';
export {
  MASKED_ITEMS,
  type MaskedItem,
  type MaskedItemsOption,
  REPLAY_HOOKS,
  type ReplayHooks,
  type ReplayHooksOption,
} from './replay/replay-hooks.js';
export { reachableObjects } from './replay/reachable-objects.js';
export { type SentReports, sendLeftReports } from './replay/test-run/send-left-reports.js';
export { exchange, type ServiceAnswer } from './service/exchange.js';
