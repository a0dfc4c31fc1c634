import fc from 'fast-check';
import type { Answer, Capture } from './doors.js';
import { type Course, KINDS } from './courses.js';

export interface CoursePair {
  readonly change: string;
  readonly before: Course;
  readonly now: Course;
  readonly expected: Answer;
}

const isStream = ({ kind }: Course): boolean => kind !== 'value';
const differing = ({ fails }: Course, capture: Capture): Answer => {
  if (capture === 'withheld') return 'unknown';
  return fails === undefined ? 'changed' : 'error';
};

/** With `captureOutput`, `undefined` has no record, so it may also have been a value that maps to nothing. */
const isUnrecorded = ({ kind, items, fails }: Course, capture: Capture): boolean =>
  capture === 'mapped' && kind === 'value' && fails === undefined && items[0] === undefined;

/** Each changes one part of a course, so the expected answer is known. `undefined`: the course has no such part. */
const CHANGES: Record<string, (before: Course, capture: Capture) => Omit<CoursePair, 'change'> | undefined> =
  {
    nothing: (before, capture) => {
      const isNothing = before.fails !== undefined && (!isStream(before) || before.items.length === 0);
      const isKnown = capture !== 'withheld' && !isUnrecorded(before, capture);
      return { before, now: before, expected: isKnown || isNothing ? 'same' : 'unknown' };
    },
    'the first item': (before, capture) => {
      if (before.items.length === 0 || (!isStream(before) && before.fails !== undefined)) return undefined;
      const items = ['REJECTED', ...before.items.slice(1)];
      return { before, now: { ...before, items }, expected: differing(before, capture) };
    },
    'one item more': (before, capture) => {
      if (!isStream(before)) return undefined;
      return {
        before,
        now: { ...before, items: [...before.items, 1] },
        expected: differing(before, capture),
      };
    },
    'the type of an item': ({ kind, ...course }, capture) => {
      if (capture !== 'whole' || kind === 'value') return undefined;
      const [before, now] = [new Date(5), new Date(5).toISOString()].map((item) => ({
        ...course,
        kind,
        items: [item],
      }));
      return before && now && { before, now, expected: differing(before, capture) };
    },
    'the return value': (before, capture) => {
      const isGenerator = before.kind === 'generator' || before.kind === 'async-generator';
      if (!isGenerator || before.fails !== undefined || capture !== 'whole') return undefined;
      return { before, now: { ...before, returned: 'other' }, expected: 'changed' };
    },
    'the error': (before) =>
      before.fails === undefined
        ? undefined
        : { before, now: { ...before, fails: 'otherwise' }, expected: 'error' },
    'that it fails': (before) =>
      before.fails === undefined
        ? { before, now: { ...before, fails: 'new' }, expected: 'new error' }
        : undefined,
    'that it does not fail': ({ fails, ...now }) =>
      fails === undefined ? undefined : { before: { ...now, fails }, now, expected: 'fixed' },
    'that it is no stream': (before) => {
      if (!isStream(before) || before.fails === undefined) return undefined;
      return { before, now: { kind: 'value', items: [], fails: before.fails }, expected: 'unknown' };
    },
    'that it runs to its end': ({ fails, ...before }, capture) => {
      if (!isStream(before) || fails !== undefined || before.items.length === 0) return undefined;
      const stopped = { ...before, stopsAt: before.items.length - 1 };
      const isOther = capture === 'whole' && stopped.stopsAt > 0 && before.items.length % 2 === 0;
      const now = isOther ? { ...before, items: ['REJECTED', ...before.items.slice(1)] } : before;
      return { before: stopped, now, expected: isOther ? 'changed' : 'unknown' };
    },
  };

const leaf = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.constant(null),
  fc.bigInt({ max: 9n }),
  fc.date({ noInvalidDate: true }),
  fc.record({ a: fc.integer(), password: fc.constant('hunter2') }),
  fc.constant('long '.repeat(1000)),
);
const course = fc
  .record(
    {
      kind: fc.constantFrom(...KINDS),
      items: fc.array(leaf, { maxLength: 3 }),
      returned: leaf,
      fails: fc.string(),
    },
    { requiredKeys: ['kind', 'items'] },
  )
  .map(({ fails, ...rest }): Course => ({
    ...rest,
    ...(fails !== undefined && { fails: `it said ${fails}` }),
  }));

/** Hand-written pairs, and as many generated ones. */
export function coursePairs(capture: Capture, seed: number): CoursePair[] {
  const approved: Course = { kind: 'generator', items: ['approved'], fails: 'connection lost' };
  const known: CoursePair[] = KINDS.filter((kind) => kind !== 'value').flatMap((kind) => [
    {
      change: 'REJECTED for approved',
      before: { ...approved, kind },
      now: { ...approved, kind, items: ['REJECTED'] },
      expected: capture === 'withheld' ? 'unknown' : 'error',
    },
    {
      change: 'nothing after approved',
      before: { ...approved, kind },
      now: { ...approved, kind },
      expected: capture === 'withheld' ? 'unknown' : 'same',
    },
  ]);
  const made = fc.sample(fc.tuple(course, fc.constantFrom(...Object.keys(CHANGES))), { numRuns: 60, seed });
  return [
    ...known,
    ...made.flatMap(([before, change]): CoursePair[] => {
      const found = CHANGES[change]?.(before, capture);
      return found === undefined ? [] : [{ change, ...found }];
    }),
  ];
}
