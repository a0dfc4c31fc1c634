import type { ValueNode } from '@dacapo/protocol';
import { diffNodes } from '../diff/diff-nodes.js';
import type { ValueDiff } from '../diff/value-diff.js';
import { InvalidArgumentError } from '../errors.js';
import { withoutPaths } from '../values/ignored-paths.js';
import { toNode } from '../values/live-node.js';
import { type Evaluator, named } from './evaluator.js';
import { hasExpected } from './exact.js';

export interface Tolerance {
  /** Allowed difference of numbers. Default: 0. */
  absolute?: number;
  /** Allowed difference as a share of the expected number. The larger of both limits applies. Default: 0. */
  relative?: number;
  /** Paths that may vary, such as `$.createdAt` and `$.items[*].id`. */
  ignore?: readonly string[];
}

/**
 * Passes if the output has the expected structure and values, with numbers within a tolerance. The explanation lists differing paths.
 * Fails when the call threw. Does not apply without an expected value.
 *
 * @throws InvalidArgumentError when a path is invalid, or a tolerance is negative or NaN
 */
export function structural({
  name = 'structural',
  ...tolerance
}: Tolerance & { name?: string } = {}): Evaluator {
  const compareWith = comparison(tolerance, 5);
  return named(name, (context) => {
    if (!hasExpected(context)) return null;
    if ('error' in context) return false;
    const found = compareWith(context.output, context.expected);
    if (found.length === 0) return true;
    return { score: false, explanation: `Differs at ${found.map(({ path }) => path).join(', ')}` };
  });
}

/** A `same` function for replays that allows a tolerance. @throws as `structural` */
export function sameWithin(tolerance: Tolerance): (now: unknown, before: unknown) => boolean {
  const compareWith = comparison(tolerance, 1);
  return (now, before) => compareWith(now, before).length === 0;
}

function comparison(
  { absolute = 0, relative = 0, ignore = [] }: Tolerance,
  limit: number,
): (now: unknown, before: unknown) => ValueDiff[] {
  for (const [option, size] of Object.entries({ absolute, relative })) {
    if (size >= 0) continue;
    throw new InvalidArgumentError(option, `must be a number of at least 0, not ${size}`, 'Write 0.01, say.');
  }
  const prune = withoutPaths(ignore);
  const isWithin = (now: number, before: number): boolean =>
    Math.abs(now - before) <= Math.max(absolute, relative * Math.abs(before));
  return (now, before) => {
    const expected = prune(toNode(before));
    return diffNodes(expected, new Snapping(isWithin).snap(prune(toNode(now)), expected), { limit });
  };
}

/** Replaces numbers within the tolerance by the expected ones, so that ordinary equality applies. */
class Snapping {
  readonly #known = new Map<ValueNode, Map<ValueNode, ValueNode>>();
  readonly #isWithin: (now: number, before: number) => boolean;

  constructor(isWithin: (now: number, before: number) => boolean) {
    this.#isWithin = isWithin;
  }

  snap(now: ValueNode, before: ValueNode | undefined): ValueNode {
    if (before === undefined || before.kind !== now.kind) return now;
    const ofNow = this.#known.get(now) ?? new Map<ValueNode, ValueNode>();
    this.#known.set(now, ofNow);
    const snapped = ofNow.get(before) ?? this.#snapped(now, before);
    ofNow.set(before, snapped);
    return snapped;
  }

  #snapped(now: ValueNode, before: ValueNode): ValueNode {
    if (now.kind === 'number' && before.kind === 'number')
      return this.#isWithin(now.value, before.value) ? before : now;
    if (now.kind === 'array' && before.kind === 'array')
      return {
        ...now,
        items: () => now.items().map((item, index) => this.snap(item, before.items()[index])),
      };
    if (now.kind === 'map' && before.kind === 'map')
      return {
        ...now,
        pairs: () =>
          now.pairs().map(([key, value]) => {
            const other = before.pairs().find(([otherKey]) => otherKey.json === key.json);
            return [key, this.snap(value, key.isPlain ? other?.[1] : undefined)] as const;
          }),
      };
    if ('entries' in now && 'entries' in before)
      return {
        ...now,
        entries: () => {
          const others = new Map(before.entries());
          return now.entries().map(([key, value]) => [key, this.snap(value, others.get(key))] as const);
        },
      };
    return now;
  }
}
