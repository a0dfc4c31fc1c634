import type { FunctionArguments, FunctionOutput } from './function-types.js';
import type { AnyFunction } from './recording/span-definition.js';
import type { SET_BY_THE_COMMAND } from './options/eval-fields.js';
import type {
  RecordedCalls,
  DatasetItems,
  EvaluateOptions,
  EvaluationItem,
} from './options/evaluate-options.js';

/**
 * One item of an eval file's list.
 *
 * @typeParam A arguments of the function
 * @typeParam R its return value
 */
export type EvalItem<A extends unknown[] = unknown[], R = unknown> = EvaluationItem<A, R> & {
  /** The name in the table. Default: `id`, otherwise the input. */
  readonly name?: string | undefined;
  /** Your own id of the item. */
  readonly id?: string | undefined;
};

/** Rows of a CSV file, or lines of JSON (`.jsonl`, `.ndjson`). Other columns become `metadata`. */
export interface EvalRows {
  /** Relative to the eval file. */
  readonly file: string;
  /** The column with the argument, or a list of columns for several arguments. Default: `input`. */
  readonly input?: string | readonly string[] | undefined;
  /** The column with the expected value. Default: `expected`, if the file has this column. */
  readonly expected?: string | undefined;
  /** The column with the name of the item. Default: `name`, if the file has this column. */
  readonly name?: string | undefined;
}

/** The data of an eval file: a list, a function that returns one, a file, a dataset, or stored calls with a key. */
export type EvalData<A extends unknown[] = unknown[], R = unknown> =
  | readonly EvalItem<A, R>[]
  | (() => readonly EvalItem<A, R>[] | Promise<readonly EvalItem<A, R>[]>)
  | string
  | EvalRows
  | DatasetItems
  | RecordedCalls;

/**
 * The default export of an eval file for `dacapo eval`: the options of `tracer.evaluate`, with the function and its variants.
 *
 * @typeParam F the function
 * @typeParam V its variants: functions, or values for the function's last argument
 */
export interface EvalDefinition<F extends AnyFunction = AnyFunction, V = never> extends Omit<
  EvaluateOptions<DataInputs<F, V>, ReturnedBy<F, V>>,
  'data' | (typeof SET_BY_THE_COMMAND)[number]
> {
  /** The function to evaluate. Not needed if all `variants` are functions. */
  readonly function?: F | undefined;
  /**
   * Versions to compare, by name. Each one is a function, or a value for the last argument of `function`: a prompt, a model, parameters.
   * Each variant has its own test run.
   */
  readonly variants?: Readonly<Record<string, V>> | undefined;
  /**
   * The inputs: a list, a function that returns one, the path of a CSV or JSONL file, `{ file, input, expected }`, `{ dataset }`, or
   * stored calls such as `{ key, since }`.
   */
  readonly data: EvalData<DataInputs<F, V>, ReturnedBy<F, V>>;
}

/** The arguments that come from the data: all except the variant. */
type DataInputs<F, V> = [V] extends [never]
  ? FunctionArguments<F>
  : [V] extends [AnyFunction]
    ? FunctionArguments<V>
    : WithoutLast<Required<FunctionArguments<F>>>;

type ReturnedBy<F, V> = [V] extends [never]
  ? FunctionOutput<F>
  : [V] extends [AnyFunction]
    ? FunctionOutput<V>
    : FunctionOutput<F>;

type WithoutLast<A extends unknown[]> = A extends [...infer Inputs, unknown] ? Inputs : A;

/**
 * Adds types to an eval file and returns its argument unchanged. `dacapo eval support.eval.ts` runs the file.
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
