import { type RunningCollector, startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/tracer';
import fc from 'fast-check';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { removeFolder } from './support/remove-folder.js';
import { coursePairs } from './verdict-doors/course-pairs.js';
import { follow } from './verdict-doors/courses.js';
import { type Answer, type Answers, CAPTURES, Doors } from './verdict-doors/doors.js';
import { KNOWN_PAIRS } from './verdict-doors/value-pairs.js';
import { valueCourses } from './verdict-doors/value-courses.js';

/** Number of random pairs per course, in addition to the known ones. `DOOR_PAIRS=350` compares more than 2,500 pairs. */
const RANDOM_PAIRS = Number(process.env['DOOR_PAIRS'] ?? 5);

describe('every way to compare two outcomes', () => {
  const seed = Number(process.env['DOOR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  let folder: string;
  let collector: RunningCollector;
  let tracer: Tracer;
  let doors: Doors;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-verdict-doors-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    doors = new Doors(collector, tracer);
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  it.each(CAPTURES)('returns the same verdict on courses, with outputs recorded %s', async (capture) => {
    const pairs = coursePairs(capture, seed);
    const versions = pairs.map(({ before, now }) => ({
      before: () => follow(before),
      now: () => follow(now),
      stopsAt: before.stopsAt,
    }));
    const answers = await doors.compare(capture, capture, versions);
    for (const [index, pair] of pairs.entries())
      expect({ seed, pair, answers: answers[index] }).toEqual({
        seed,
        pair,
        answers: all(answers[index], pair.expected),
      });
    expect(pairs.length).toBeGreaterThan(20);
  });

  it.each(Object.entries(valueCourses))(
    `returns the same verdict on ${KNOWN_PAIRS.length + RANDOM_PAIRS} pairs of values, %s`,
    async (name, course) => {
      const pairs = [...course.known, ...fc.sample(course.pair, { numRuns: RANDOM_PAIRS, seed })];
      const answers = await doors.compare(name, 'whole', pairs);
      const wrong = pairs.flatMap(({ what, expected }, index) => {
        const actual = answers[index];
        return isDeepStrictEqual(actual, all(actual, expected)) ? [] : [{ what, expected, actual }];
      });
      expect({ seed, wrong: wrong.slice(0, 5), count: wrong.length }).toEqual({ seed, wrong: [], count: 0 });
      expect(answers.every((actual) => Object.keys(actual).length === 9)).toBe(true);
    },
  );
});

/** The documented exceptions of `equal` from `assert.deepStrictEqual`. Also, Node does not look into URLSearchParams. */
const EXCEPTIONS = new Set([
  'zeros',
  'a property that is undefined',
  'holes',
  'invalid dates',
  'an index of a RegExp',
  'queries by order',
]);

describe('the pairs that all doors compare', () => {
  it('match `assert.deepStrictEqual`, with the documented exceptions', () => {
    const compared = KNOWN_PAIRS.filter(
      ({ likeness, what }) => likeness !== 'unknown' && !EXCEPTIONS.has(what),
    );
    const actual = compared.map(({ what, make }) => [what, isDeepStrictEqual(make(0), make(1))]);
    expect(actual).toEqual(compared.map(({ what, likeness }) => [what, likeness === 'equal']));
  });
});

/** The expected verdict of each door. A rescored run may return `unknown` instead of `same`, because its outcome may be cut. */
function all(answers: Answers = {}, expected: Answer): Answers {
  const isLike = expected === 'same' || expected === 'unknown';
  const actual = Object.keys(answers).map((door) => [
    door,
    door === 'runs' && !isLike ? 'different' : expected,
  ]);
  const { rescored } = answers;
  const isLess = expected === 'same' && rescored === 'unknown';
  return { ...(Object.fromEntries(actual) as Answers), ...(isLess && { rescored }) };
}
