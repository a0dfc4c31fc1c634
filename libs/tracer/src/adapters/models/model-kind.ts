import type { UsageRecord } from '@dacapo/protocol';
import type { ActiveSpan } from '../../recording/active-span.js';
import type { RequestKind } from '../clients/call-model.js';
import type { ModelMethod } from '../clients/model-method.js';
import type { Fields } from '../readers.js';

/** The models of one library, recognised by their members: no version of the library is imported. */
export interface ModelKind {
  isModel(model: Fields): boolean;
  /** The methods that send a request; a model may lack some. */
  methodsOf(model: Fields): readonly ModelRequest[];
  /** Methods that return another model, or a promise of one: it is wrapped too. */
  readonly makers: readonly string[];
  /** The model and its provider, of a request with these arguments. */
  describe(model: Fields, args: readonly unknown[]): UsageRecord;
}

/** A method of a model that sends one request. */
export interface ModelRequest {
  readonly key: string;
  /** What identifies a request, beside what `describe` returns. */
  asked(args: readonly unknown[], model: Fields): Fields;
  readonly method: ModelMethod;
  readonly kind: RequestKind;
  /** The span of the library's own run that the request belongs to, where the adapter records one. */
  runOf?(
    args: readonly unknown[],
    openRun: (runId: string) => ActiveSpan | undefined,
  ): ActiveSpan | undefined;
}
