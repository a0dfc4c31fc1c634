import type { UsageRecord, Members } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { RequestKind } from '../clients/call-model.js';
import type { ModelMethod } from '../clients/model-method.js';

/** How requests of the models of one library are recorded. */
export interface ModelKind {
  /** The methods that send a request. */
  readonly requests: readonly ModelRequest[];
  /** The model and its provider, of a request with these arguments. */
  describe(model: Members, args: readonly unknown[]): UsageRecord;
  /** Where a model sends its requests; absent, or `undefined`: it does not show that. */
  findAddress?(model: Members): unknown;
}

/** A method of a model that sends one request. */
export interface ModelRequest {
  readonly key: string;
  /** What identifies a request, beside what `describe` returns. */
  recordedRequest(args: readonly unknown[], model: Members): Members;
  readonly method: ModelMethod;
  readonly kind: RequestKind;
  /** The span of the library's own run that the request belongs to, where the adapter records one. */
  findRun?(
    args: readonly unknown[],
    openRun: (runId: string) => ActiveSpan | undefined,
  ): ActiveSpan | undefined;
}
