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

/** How many random pairs each course has, besides the known ones. `DOOR_PAIRS=350` compares more than 2,500 pairs in all. */
const RANDOM_PAIRS = Number(process.env['DOOR_PAIRS'] ?? 40);

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

  it.each(CAPTURES)('has the same answer on courses, with outputs recorded %s', async (capture) => {
    const pairs = coursePairs(capture, seed);
    const versions = pairs.map(({ before, now }) => ({
      ...{ before: () => follow(before), now: () => follow(now), stopsAt: before.stopsAt },
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
    `has the same answer on ${KNOWN_PAIRS.length + RANDOM_PAIRS} pairs of values, %s`,
    async (name, course) => {
      const pairs = [...course.known, ...fc.sample(course.pair, { numRuns: RANDOM_PAIRS, seed })];
      const answers = await doors.compare(name, 'whole', pairs);
      const wrong = pairs.flatMap(({ what, expected }, index) => {
        const said = answers[index];
        return isDeepStrictEqual(said, all(said, expected)) ? [] : [{ what, expected, said }];
      });
      expect({ seed, wrong: wrong.slice(0, 5), count: wrong.length }).toEqual({ seed, wrong: [], count: 0 });
      expect(answers.every((said) => Object.keys(said).length === 9)).toBe(true);
    },
  );
});

/** What the documentation of `equal` leaves out of `assert.deepStrictEqual`; and Node does not look into URLSearchParams. */
const EXCEPTIONS = new Set([
  ...['zeros', 'a property that is undefined', 'holes', 'invalid dates', 'an index of a RegExp'],
  'queries by order',
]);

describe('the pairs that all doors compare', () => {
  it('are as `assert.deepStrictEqual` says, with the documented exceptions', () => {
    const compared = KNOWN_PAIRS.filter(
      ({ likeness, what }) => likeness !== 'unknown' && !EXCEPTIONS.has(what),
    );
    const said = compared.map(({ what, make }) => [what, isDeepStrictEqual(make(0), make(1))]);
    expect(said).toEqual(compared.map(({ what, likeness }) => [what, likeness === 'equal']));
  });
});

/** What each door has to say. A rescored run may say `unknown` in place of `same`: its outcome may not be stored whole. */
function all(answers: Answers = {}, expected: Answer): Answers {
  const isLike = expected === 'same' || expected === 'unknown';
  const said = Object.keys(answers).map((door) => [
    door,
    door === 'runs' && !isLike ? 'different' : expected,
  ]);
  const { rescored } = answers;
  const isLess = expected === 'same' && rescored === 'unknown';
  return { ...(Object.fromEntries(said) as Answers), ...(isLess && { rescored }) };
}
