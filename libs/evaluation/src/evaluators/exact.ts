import { equal } from '@dacapo/protocol';
import { toNode } from '../values/live-node.js';
import { withoutPaths } from '../values/ignored-paths.js';
import { type Evaluator, type EvaluatorContext, named } from './evaluator.js';

export interface ExactOptions {
  /** Default: `exact`. */
  name?: string;
  /** Paths that may vary, such as `$.createdAt` and `$.items[*].id`. */
  ignore?: readonly string[];
}

/**
 * Passes if the output equals the expected value, by the equality of verdicts: types count, key order does not. Fails when the call threw
 * or equality is unknown. Does not apply without an expected value.
 *
 * @throws InvalidArgumentError when a path is invalid
 */
export function exact({ name = 'exact', ignore = [] }: ExactOptions = {}): Evaluator {
  const prune = withoutPaths(ignore);
  return named(name, (context) => {
    if (!hasExpected(context)) return null;
    if ('error' in context) return false;
    return equal(prune(toNode(context.output)), prune(toNode(context.expected))) === 'equal';
  });
}

export function hasExpected(context: EvaluatorContext): boolean {
  return 'expected' in context;
}
