import type { SpanType, Verdict } from '@dacapo/protocol';
import type { Divergence, Usage } from '../run/run-item.js';
import type { Score } from '../run/score.js';

/** A call that the evaluated call made, at any depth. */
export interface Call {
  /** Its trace function key. */
  key: string;
  name: string;
  type: SpanType;
  /** Trace function keys from below the evaluated call down to this one. */
  path: string[];
  args: unknown[];
  output?: unknown;
  error?: unknown;
  durationMs?: number;
  usage?: Usage;
  /** It was answered from the recording and did not run. */
  mocked?: true;
}

/** The argument of an evaluator. */
export interface EvaluatorContext<A extends unknown[] = unknown[], R = unknown> {
  /** The argument if there is exactly one, else the list of arguments. */
  input: A extends [infer Only] ? Only : unknown;
  args: A;
  /** The function's result; a list for a stream or generator. `undefined` when it threw: see `error`. */
  output: R;
  /** The dataset's or the accepted value, else the original output. Absent without any of them. */
  expected?: R;
  /** The recorded output. */
  original?: R;
  /**
   * The baseline's outcome, which the same evaluators score. Absent if it is not known completely. When the baseline itself is scored,
   * this is the same outcome.
   */
  baseline?: EvaluatedBaseline<R>;
  /** What the call threw. Absent when it returned an output. */
  error?: unknown;
  verdict: Verdict;
  divergences: Divergence[];
  durationMs: number;
  /** An inner call was answered from the recording, so `durationMs` is not the real duration. */
  mocked?: true;
  usage?: Usage;
  /** Inner calls in the order of their start; with `key` only those with this key. */
  calls: (key?: string) => Call[];
  metadata: Readonly<Record<string, unknown>>;
  /** Aborts on timeout, or when the run ends early. Absent when nothing can end the call. */
  signal?: AbortSignal;
}

/** A baseline's outcome: `output`, or `error` if it failed. */
export interface EvaluatedBaseline<R = unknown> {
  output?: R;
  error?: unknown;
}

/** What an evaluator may return; see `Score`. `null`: it does not apply. */
export type Evaluation = Score | number | boolean | null;

/** Scores one item. Scorers of `autoevals` can be used directly. If it throws, the item is an error. */
export interface Evaluator<A extends unknown[] = unknown[], R = unknown> {
  (context: EvaluatorContext<A, R>): Evaluation | Promise<Evaluation>;
  /**
   * Identifies everything that the scores depend on besides the item, such as model and prompt. With a version, later runs reuse the
   * baseline's stored scores if the evaluator's input is the same. Default: scores are never reused.
   */
  readonly version?: string | undefined;
}

/** A list, with evaluators named by their functions, or a record by name. */
export type Evaluators<A extends unknown[] = unknown[], R = unknown> =
  readonly Evaluator<A, R>[] | Readonly<Record<string, Evaluator<A, R>>>;

const VARYING = new WeakSet<object>();

/** Marks an evaluator whose scores may vary for equal outcomes, such as a model or a clock. */
export function varying<E extends object>(evaluator: E): E {
  VARYING.add(evaluator);
  return evaluator;
}

export function isVarying(evaluator: object): boolean {
  return VARYING.has(evaluator);
}

/** Names an evaluator made by a factory. Its scores have this name. */
export function named<A extends unknown[] = unknown[], R = unknown>(
  name: string,
  evaluator: Evaluator<A, R>,
): Evaluator<A, R> {
  return Object.defineProperty(evaluator, 'name', { value: name, configurable: true });
}
