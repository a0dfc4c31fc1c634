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

function toCourse(replay: (value: unknown) => unknown, different: Answer): ValueCourse {
  const toPair = ({ what, likeness, make }: ValuePair): ExpectedPair => ({
    what,
    before: () => replay(make(0)),
    now: () => replay(make(1)),
    expected: { equal: 'same' as const, unknown: 'unknown' as const, different }[likeness],
  });
  return { known: KNOWN_PAIRS.map(toPair), pair: valuePair.map(toPair) };
}

/** Functions among the properties of an error are not compared, so pairs that hold some have another verdict there. */
function inError(replay: (value: unknown) => unknown): ValueCourse {
  const { known, pair } = toCourse(replay, 'error');
  return { known, pair: pair.filter(({ what }) => !/\bfunctions\b/.test(what)) };
}

/** Places of a value in a call. */
export const valueCourses: Readonly<Record<string, ValueCourse>> = {
  returned: toCourse((value) => [value], 'changed'),
  yielded: toCourse((value) => follow({ kind: 'generator', items: [value] }), 'changed'),
  'yielded before the same error': toCourse(
    (value) => follow({ kind: 'async-generator', items: [value], fails: 'down' }),
    'error',
  ),
  'returned by a generator': toCourse(
    (value) => follow({ kind: 'generator', items: [1], returned: value }),
    'changed',
  ),
  'in a property of the error': inError((value) => {
    throw Object.assign(new Error('down'), { details: [value] });
  }),
  'in an object that is thrown': inError((value) => {
    const thrown: unknown = Object.assign(Object.create(null) as object, { details: [value] });
    throw thrown;
  }),
};
