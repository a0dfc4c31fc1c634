import { EvaluationError, InvalidArgumentError, describeValue } from '../errors.js';
import { isUsableNumber, type NamedScore } from '../run/score.js';
import type { Evaluator, EvaluatorContext, Evaluators } from './evaluator.js';

/** Results of all evaluators for one item. */
export interface Evaluated {
  scores: NamedScore[];
  /** Evaluators that failed; their scores are missing. */
  errors: EvaluatorFailedError[];
}

/** An evaluator threw or returned an invalid score. It becomes the error of its item. */
export class EvaluatorFailedError extends EvaluationError {
  readonly code = 'EVALUATION_EVALUATOR_FAILED';

  /** @param evaluator its name */
  constructor(
    readonly evaluator: string,
    problem: string,
    options?: { cause: unknown },
  ) {
    super(`The evaluator ${evaluator} ${problem}`, options);
  }
}

/**
 * Names evaluators by the record's key or the function's name, else `evaluator 1` for the first of a list.
 *
 * @throws InvalidArgumentError when one is not a function, two have the same name, or a version is not a string
 */
export function nameEvaluators<A extends unknown[], R>(
  evaluators: Evaluators<A, R>,
): Map<string, Evaluator<A, R>> {
  const named = new Map<string, Evaluator<A, R>>();
  const entries: [string, Evaluator<A, R>][] = isList(evaluators)
    ? evaluators.map((evaluator, index) => [evaluator.name || `evaluator ${index + 1}`, evaluator])
    : Object.entries(evaluators);
  for (const [name, evaluator] of entries) {
    if (typeof evaluator !== 'function')
      throw new InvalidArgumentError(
        `evaluators.${name}`,
        `must be a function, not ${describeValue(evaluator)}`,
        'A factory such as exact() creates one.',
      );
    const { version } = evaluator as { version?: unknown };
    if (version !== undefined && (typeof version !== 'string' || version.trim() === ''))
      throw new InvalidArgumentError(
        `evaluators.${name}.version`,
        `must be a text that is not blank, not ${describeValue(version)}`,
        'Name what its scores depend on, such as the model and the prompt, or omit it.',
      );
    if (named.has(name))
      throw new InvalidArgumentError(
        'evaluators',
        `has two with the name ${name}`,
        'Pass a record, { first: …, second: … }, to name them yourself.',
      );
    named.set(name, evaluator);
  }
  return named;
}

/**
 * Runs all evaluators concurrently. A failure does not affect the others.
 *
 * When the call threw, evaluators may throw too. This is not a second error, and the score does not apply if the call failed the same
 * way before (`verdict` is `same`).
 */
export async function applyEvaluators<A extends unknown[], R>(
  evaluators: ReadonlyMap<string, Evaluator<A, R>>,
  context: EvaluatorContext<A, R>,
): Promise<Evaluated> {
  const hasFailed = 'error' in context;
  const answers = await Promise.all(
    Array.from(evaluators, async ([name, evaluator]) => {
      try {
        return readScore(name, await evaluator(context));
      } catch (thrown) {
        if (hasFailed && context.verdict === 'same') return { name, score: null };
        if (thrown instanceof EvaluatorFailedError) return thrown;
        const message = thrown instanceof Error ? thrown.message : describeValue(thrown);
        return new EvaluatorFailedError(name, `failed: ${message}`, { cause: thrown });
      }
    }),
  );
  const scores = answers.filter((answer): answer is NamedScore => !(answer instanceof EvaluatorFailedError));
  const errors = answers.filter((answer) => answer instanceof EvaluatorFailedError);
  return { scores, errors: hasFailed ? [] : errors };
}

/** Converts an evaluator's result to a score. `null` and a score of `null` both mean "does not apply". */
function readScore(name: string, answer: unknown): NamedScore {
  if (typeof answer !== 'string' && isScoreValue(answer)) return { name, score: answer };
  const fields = typeof answer === 'object' ? (answer as Record<string, unknown>) : {};
  const { score, error, label, explanation, metadata } = fields;
  // Scorers of autoevals report a failed judge this way.
  if (score === null && error !== undefined && error !== null)
    throw error instanceof Error ? error : new Error(describeValue(error));
  if (isScoreValue(score))
    return {
      name,
      score,
      ...(typeof label === 'string' && { label }),
      ...(typeof explanation === 'string' && { explanation }),
      ...(typeof metadata === 'object' && metadata !== null && { metadata }),
    };
  throw new EvaluatorFailedError(
    name,
    `answered ${'score' in fields ? `the score ${describeValue(score)}` : describeValue(answer)}. ` +
      'Return a number of at most 1e100, true, false, null or { score: … }.',
  );
}

function isScoreValue(value: unknown): value is NamedScore['score'] {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  return typeof value === 'number' && isUsableNumber(value);
}

function isList<A extends unknown[], R>(
  evaluators: Evaluators<A, R>,
): evaluators is readonly Evaluator<A, R>[] {
  return Array.isArray(evaluators);
}
