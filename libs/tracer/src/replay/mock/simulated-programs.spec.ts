import fc from 'fast-check';
import { expectSameCourse, type Program } from '../../../test/replay/replay-programs.js';

/** One call, several after another, or several at one time that go on as `join` says. */
type Node =
  | { readonly call: string; readonly ms: number }
  | { readonly steps: readonly Node[] }
  | { readonly join: 'all' | 'race' | 'any'; readonly branches: readonly Node[] };

const JOINS: Record<'all' | 'race' | 'any', (branches: Promise<void>[]) => Promise<unknown>> = {
  all: (branches) => Promise.all(branches),
  race: (branches) => Promise.race(branches),
  any: (branches) => Promise.any(branches),
};

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({ call: fc.constantFrom('a', 'b', 'c', 'group'), ms: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ steps: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      join: fc.constantFrom('all', 'race', 'any'),
      branches: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** What a call is given tells the course so far: one answer out of its turn, and the next call is another one. */
const toProgram =
  (root: Node): Program =>
  async (call, log, tracer) => {
    const course: string[] = [];
    let calls = 0;
    const run = async (of: Node): Promise<void> => {
      if ('steps' in of) {
        for (const step of of.steps) await run(step);
        return;
      }
      if ('branches' in of) {
        await JOINS[of.join](of.branches.map(run));
        return;
      }
      const name = `${of.call}${calls++} after ${course.slice(-3).join()}`;
      const made =
        of.call === 'group'
          ? tracer.withSpan('group', async (inner: string) => call('inner', inner, of.ms))(name)
          : call(of.call, name, of.ms);
      course.push(String(await made).slice(0, 8));
      log(course.at(-1));
    };
    await run(root);
  };

describe('for any calls of a program and any waits', () => {
  it.each([
    ['all of it answered', []],
    ['its groups run, and what they call is answered', [{ key: 'group' }]],
  ])('it takes the same course every time: %s', async (_, live) => {
    await fc.assert(
      fc.asyncProperty(node, async (root) => {
        await expectSameCourse(toProgram(root), { times: 10, live });
      }),
      { numRuns: 8 },
    );
  });
});
