import type { UsageRecord, Members } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { RequestKind } from '../clients/call-model.js';
import type { ModelMethod } from '../clients/model-method.js';

/** Records the requests of one library's models. */
export interface ModelKind {
  /** The methods that send a request. */
  readonly requests: readonly ModelRequest[];
  /** Returns the model and its provider for a request with these arguments. */
  describe(model: Members, args: readonly unknown[]): UsageRecord;
  /** Returns the address of a model's service; absent, or `undefined`, if the model does not expose it. */
  findAddress?(model: Members): unknown;
}

/** A method of a model that sends one request. */
export interface ModelRequest {
  readonly key: string;
  /** Returns the facts that identify a request, in addition to those of `describe`. */
  recordedRequest(args: readonly unknown[], model: Members): Members;
  readonly method: ModelMethod;
  readonly kind: RequestKind;
  /** Finds the span of the library's run that the request belongs to, if an adapter records it. */
  findRun?(
    args: readonly unknown[],
    openRun: (runId: string) => ActiveSpan | undefined,
  ): ActiveSpan | undefined;
}
