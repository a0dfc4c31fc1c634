import type { SpanType } from '@dacapo/protocol';
import type { Divergence, Usage, Verdict } from '../run/run-item.js';
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
  /** It did not run: it was answered from the recording. */
  mocked?: true;
}

/** What an evaluator gets. */
export interface EvaluatorContext<A extends unknown[] = unknown[], R = unknown> {
  /** The argument itself where there is one, else the list of arguments. */
  input: A extends [infer Only] ? Only : unknown;
  args: A;
  /** What the function gave; for a stream or a generator the list of it. `undefined` when it threw: see `error`. */
  output: R;
  /** The dataset's or the accepted value, else the original output; absent when there is none. */
  expected?: R;
  /** What was recorded. */
  original?: R;
  /**
   * The other outcome that the same evaluators judge. Absent where not all of it is known; when the baseline itself is judged, it is
   * that one.
   */
  baseline?: JudgedBaseline<R>;
  /** What the call threw. Absent when it did not; then alone there is an output. */
  error?: unknown;
  verdict: Verdict;
  divergences: Divergence[];
  durationMs: number;
  /** A call inside was answered from the recording: `durationMs` is not how long the function takes. */
  mocked?: true;
  usage?: Usage;
  /** The calls inside, in the order in which they began; with a key only those of it. */
  calls: (key?: string) => Call[];
  metadata: Readonly<Record<string, unknown>>;
  /** Aborted when the time is over, or the run ends early; absent where nothing ends it. */
  signal?: AbortSignal;
}

/** How a baseline ended: `output` is there unless there is an `error`. */
export interface JudgedBaseline<R = unknown> {
  output?: R;
  error?: unknown;
}

/** What an evaluator may answer; see `Score`. `null`: it does not apply. */
export type Evaluation = Score | number | boolean | null;

/** Judges one item. Scorers of `autoevals` are evaluators as they are. One that throws is an error of its item. */
export interface Evaluator<A extends unknown[] = unknown[], R = unknown> {
  (context: EvaluatorContext<A, R>): Evaluation | Promise<Evaluation>;
  /**
   * Names everything that its scores depend on beside the item, such as the model and the prompt themselves. With it, the service's
   * scores of a baseline are reused by later runs in which the evaluator would see the same; without, nothing is.
   */
  readonly version?: string | undefined;
}

/** A list, where each is called by its function's name, or a record of names. */
export type Evaluators<A extends unknown[] = unknown[], R = unknown> =
  readonly Evaluator<A, R>[] | Readonly<Record<string, Evaluator<A, R>>>;

const VARYING = new WeakSet<object>();

/** Marks an evaluator whose answers vary for equal outcomes, as those of a model or of a clock. */
export function varying<E extends object>(evaluator: E): E {
  VARYING.add(evaluator);
  return evaluator;
}

export function isVarying(evaluator: object): boolean {
  return VARYING.has(evaluator);
}

/** Gives an evaluator that is made by a factory its name, under which its scores appear. */
export function named<A extends unknown[] = unknown[], R = unknown>(
  name: string,
  evaluator: Evaluator<A, R>,
): Evaluator<A, R> {
  return Object.defineProperty(evaluator, 'name', { value: name, configurable: true });
}
