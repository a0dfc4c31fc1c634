import type { ArgumentsOf, OutputOf } from './function-types.js';
import type { AnyFunction } from './recording/span-definition.js';
import type { SET_BY_THE_COMMAND } from './options/eval-fields.js';
import type {
  CallsOfKey,
  DatasetItems,
  EvaluateOptions,
  EvaluationItem,
} from './options/evaluate-options.js';

/**
 * One item of an eval file's list.
 *
 * @typeParam A arguments of the function
 * @typeParam R what it returns
 */
export type EvalItem<A extends unknown[] = unknown[], R = unknown> = EvaluationItem<A, R> & {
  /** What the table calls it. Default: `id`, else its input. */
  readonly name?: string | undefined;
  /** Your own id of it. */
  readonly id?: string | undefined;
};

/** Rows of a CSV file, or lines of JSON (`.jsonl`, `.ndjson`). Other columns become `metadata`. */
export interface EvalRows {
  /** Relative to the eval file. */
  readonly file: string;
  /** The column with the argument, or a list of columns for several arguments. Default: `input`. */
  readonly input?: string | readonly string[] | undefined;
  /** The column with the expected value. Default: `expected`, where the file has one. */
  readonly expected?: string | undefined;
  /** The column with the name of the item. Default: `name`, where the file has one. */
  readonly name?: string | undefined;
}

/** What an eval file evaluates: a list, a function that returns one, a file, a dataset, or stored calls of a key. */
export type EvalData<A extends unknown[] = unknown[], R = unknown> =
  | readonly EvalItem<A, R>[]
  | (() => readonly EvalItem<A, R>[] | Promise<readonly EvalItem<A, R>[]>)
  | string
  | EvalRows
  | DatasetItems
  | CallsOfKey;

/**
 * What an eval file exports by default, for `dacapo eval`: the options of `tracer.evaluate`, with the function and its variants.
 *
 * @typeParam F the function
 * @typeParam V its variants: functions, or what the function gets as its last argument
 */
export interface EvalDefinition<F extends AnyFunction = AnyFunction, V = never> extends Omit<
  EvaluateOptions<DataInputs<F, V>, ReturnedBy<F, V>>,
  'data' | (typeof SET_BY_THE_COMMAND)[number]
> {
  /** What is evaluated. It may be missing where `variants` are functions. */
  readonly function?: F | undefined;
  /**
   * Versions to compare, by name. Each one is a function, or a value that `function` gets as its last argument: a prompt, a model,
   * parameters. Each variant is a test run of its own.
   */
  readonly variants?: Readonly<Record<string, V>> | undefined;
  /**
   * What is evaluated: a list, a function that returns one, the path of a CSV or JSONL file, `{ file, input, expected }`,
   * `{ dataset }`, or stored calls such as `{ key, since }`.
   */
  readonly data: EvalData<DataInputs<F, V>, ReturnedBy<F, V>>;
}

/** The arguments that come from the data: all of them, but for the variant. */
type DataInputs<F, V> = [V] extends [never]
  ? ArgumentsOf<F>
  : [V] extends [AnyFunction]
    ? ArgumentsOf<V>
    : WithoutLast<Required<ArgumentsOf<F>>>;

type ReturnedBy<F, V> = [V] extends [never]
  ? OutputOf<F>
  : [V] extends [AnyFunction]
    ? OutputOf<V>
    : OutputOf<F>;

type WithoutLast<A extends unknown[]> = A extends [...infer Inputs, unknown] ? Inputs : A;

/**
 * Types an eval file; returns what it is given. `dacapo eval support.eval.ts` runs it.
 *
 * @example
 * export default defineEval({
 *   data: [{ input: 'I was charged twice.', expected: 'billing' }],
 *   function: classify,
 *   evaluators: [exact()],
 * });
 */
export function defineEval<F extends AnyFunction, V = never>(
  definition: EvalDefinition<F, V>,
): EvalDefinition<F, V> {
  return definition;
}
