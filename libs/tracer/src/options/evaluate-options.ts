import type { ResolvedOptions } from './option.js';
import { isRecord, option, text } from './option.js';
import { type ExecutionOptions, RUN_OPTIONS } from './run-options.js';
import type { SelectionOptions } from './selection-options.js';

/**
 * One item of a list: arguments of the function, and what is known of them.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it returns
 */
export type EvaluationItem<A extends unknown[] = unknown[], R = unknown> = {
  /** What the function should give. The verdict compares with it, and evaluators get it. */
  readonly expected?: R | undefined;
  /** What reports call the item, the same in every run. Default: a hash of its arguments. */
  readonly name?: string | undefined;
  /** What else is known of it, for evaluators. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
} & (
  | {
      /** The one argument. */
      readonly input: A[0];
      readonly args?: undefined;
    }
  | {
      /** All arguments. */
      readonly args: A;
      readonly input?: undefined;
    }
);

/** Stored calls of a key. */
export interface RecordedCalls extends SelectionOptions {
  readonly key: string;
}

/** The items of a dataset. */
export interface DatasetItems {
  /** Its name. */
  readonly dataset: string;
  /** Default: the latest. */
  readonly version?: number | undefined;
}

/** The data of an evaluation: a dataset, stored calls with a key, or a list. */
export type EvaluationData<A extends unknown[] = unknown[], R = unknown> =
  DatasetItems | RecordedCalls | readonly EvaluationItem<A, R>[];

export const DATA_CURE =
  "Write it like { dataset: 'tickets' }, { key: 'desk' }, or [{ input: 'late', expected: 'delivery' }].";

export const DATA_OPTIONS = {
  /**
   * The inputs: `{ dataset: 'tickets' }`, stored calls such as `{ key: 'desk', since: '2026-11-01' }`, or a list such as `[{
   * input: 'late', expected: 'delivery' }]`.
   */
  data: option<EvaluationData>({
    takes: 'a dataset, a selection of calls, or a list',
    accepts: (value): value is EvaluationData =>
      Array.isArray(value) || (isRecord(value) && ('key' in value || 'dataset' in value)),
    cure: DATA_CURE,
  }),
  /** The trace function key of the new calls. Default: the key of `data`, the key that `fn` is wrapped with, or its name. */
  key: text({ cure: 'Omit it for that of the data, or the name of the function.' }),
};

/** Data and options of an evaluation. */
export const EVALUATE_OPTIONS = { ...DATA_OPTIONS, ...RUN_OPTIONS };

/**
 * Data and options of an evaluation.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it returns: a promise's value, or the list of a stream's items
 */
export interface EvaluateOptions<A extends unknown[] = unknown[], R = unknown> extends ExecutionOptions<
  A,
  R
> {
  /**
   * The inputs: `{ dataset: 'tickets' }`, stored calls such as `{ key: 'desk', since: '2026-11-01' }`, or a list such as `[{
   * input: 'late', expected: 'delivery' }]`.
   */
  data: EvaluationData<A, R>;
  /** The trace function key of the new calls. Default: the key of `data`, the key that `fn` is wrapped with, or its name. */
  key?: string | undefined;
}

export type ResolvedEvaluateOptions = ResolvedOptions<typeof EVALUATE_OPTIONS>;
