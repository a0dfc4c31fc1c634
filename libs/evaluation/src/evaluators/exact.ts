import { equal } from '@dacapo/protocol';
import { nodeOf } from '../values/live-node.js';
import { withoutPaths } from '../values/ignored-paths.js';
import { type Evaluator, type EvaluatorContext, named } from './evaluator.js';

export interface ExactOptions {
  /** Default: `exact`. */
  name?: string;
  /** Paths that may vary, such as `$.createdAt` and `$.items[*].id`. */
  ignore?: readonly string[];
}

/**
 * Whether the output is the expected one, by the equality of verdicts: types count, the order of keys does not. A call that
 * threw is not; without an expected value it does not apply. Where equality cannot be known it is false.
 *
 * @throws InvalidArgumentError when a path cannot be read
 */
export function exact({ name = 'exact', ignore = [] }: ExactOptions = {}): Evaluator {
  const prune = withoutPaths(ignore);
  return named(name, (context) => {
    if (!hasExpected(context)) return null;
    if ('error' in context) return false;
    return equal(prune(nodeOf(context.output)), prune(nodeOf(context.expected))) === 'equal';
  });
}

export function hasExpected(context: EvaluatorContext): boolean {
  return 'expected' in context;
}
