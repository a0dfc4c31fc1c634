import type fc from 'fast-check';
import { follow } from './courses.js';
import type { Answer, TwoVersions } from './doors.js';
import { KNOWN_PAIRS, type ValuePair, valuePair } from './value-pairs.js';

interface ExpectedPair extends TwoVersions {
  readonly what: string;
  readonly expected: Answer;
}

interface ValueCourse {
  readonly known: readonly ExpectedPair[];
  readonly pair: fc.Arbitrary<ExpectedPair>;
}

function courseOf(play: (value: unknown) => unknown, different: Answer): ValueCourse {
  const toPair = ({ what, likeness, make }: ValuePair): ExpectedPair => ({
    what,
    before: () => play(make(0)),
    now: () => play(make(1)),
    expected: { equal: 'same' as const, unknown: 'unknown' as const, different }[likeness],
  });
  return { known: KNOWN_PAIRS.map(toPair), pair: valuePair.map(toPair) };
}

/** Places of a value in a call. */
export const valueCourses: Readonly<Record<string, ValueCourse>> = {
  returned: courseOf((value) => [value], 'changed'),
  yielded: courseOf((value) => follow({ kind: 'generator', items: [value] }), 'changed'),
  'yielded before the same error': courseOf(
    (value) => follow({ kind: 'async-generator', items: [value], fails: 'down' }),
    'error',
  ),
  'returned by a generator': courseOf(
    (value) => follow({ kind: 'generator', items: [1], returned: value }),
    'changed',
  ),
  'in a property of the error': courseOf((value) => {
    throw Object.assign(new Error('down'), { details: [value] });
  }, 'error'),
  'in an object that is thrown': courseOf((value) => {
    const thrown: unknown = Object.assign(Object.create(null) as object, { details: [value] });
    throw thrown;
  }, 'error'),
};
