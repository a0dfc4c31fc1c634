import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { startStoredSpansService } from '../../../test/service/stored-spans-service.js';
import { createTestTracer } from '../../testing.js';
import type { Tracer } from '../../tracer.js';
import type { ReplayOptions } from '../../options/replay-options.js';
import type { ReplayItem } from '../replay-result.js';

/** A function of a key that takes so many milliseconds, or fails after them. */
type Call = (key: string, ...args: unknown[]) => Promise<unknown>;
type Program = (call: Call, log: (what: unknown) => void, tracer: Tracer) => Promise<unknown>;

const DELAYS_MS: Record<string, number> = { slow: 24, middle: 12, fast: 4 };

/** Records a program that calls functions which really take their time, and plays it again several times. */
async function replayOf(
  program: Program,
  { times = 1, ...options }: ReplayOptions & { times?: number } = {},
): Promise<{ before: unknown; items: ReplayItem[] }> {
  const recorded = createTestTracer();
  const calls: Promise<unknown>[] = [];
  const before = await played(recorded.tracer, program, calls)();
  // Those that nobody waits for too.
  for (let ended = 0; ended < calls.length;) ended = (await Promise.allSettled(calls)).length;
  const service = await startStoredSpansService(recorded.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const items: ReplayItem[] = [];
  for (let time = 0; time < times; time++) {
    const run = await tracer.replay('desk', played(tracer, program), { mock: 'all', ...options });
    items.push(...run.items);
  }
  await service.close();
  return { before, items };
}

/** What the program saw, in the order in which it saw it. */
function played(tracer: Tracer, program: Program, calls: Promise<unknown>[] = []): () => Promise<unknown> {
  return tracer.withSpan('desk', async () => {
    const seen: unknown[] = [];
    const call: Call = (key, ...args) => {
      const made = tracer.withSpan(key, { type: 'function' }, async (...given: unknown[]) => {
        const [name, ms = DELAYS_MS[key] ?? 1] = given as [unknown, number?];
        await sleep(ms);
        if (key === 'fails') throw new Error(String(name));
        return name;
      })(...args);
      calls.push(made);
      return made;
    };
    const result = await program(call, (what) => seen.push(what), tracer);
    // What it leaves behind goes on after it.
    return [...seen, result];
  });
}

async function expectSameCourse(
  program: Program,
  options: ReplayOptions & { times?: number } = {},
): Promise<void> {
  const { before, items } = await replayOf(program, { times: 5, ...options });
  for (const item of items) {
    expect(item.error).toBeUndefined();
    expect(item.result).toEqual(before);
    expect(item.divergences).toEqual([]);
  }
}

describe('mocked calls that are under way at one time end as they ended in the recording', () => {
  it('for an agent that appends what its tools give when they give it', () =>
    expectSameCourse(async (call) => {
      const messages: unknown[] = ['why'];
      for (let turn = 0; turn < 3; turn++) {
        const tools = (await call('model', [...messages], 2)) as unknown[];
        expect(tools).toHaveLength(messages.length);
        await Promise.all(
          ['slow', 'fast', 'middle'].map(async (tool) => messages.push(await call(tool, `${tool} ${turn}`))),
        );
      }
      return messages;
    }));

  it('for Promise.race', () =>
    expectSameCourse(async (call) =>
      Promise.race([call('slow', 's'), call('fast', 'f'), call('middle', 'm')]),
    ));

  it('for Promise.any', () =>
    expectSameCourse(async (call) =>
      Promise.any([call('slow', 's'), call('fails', 'f', 2), call('middle', 'm')]),
    ));

  it('for what is pushed as it comes, and for calls made after', () =>
    expectSameCourse(async (call, log) => {
      await Promise.all(['slow', 'fast', 'middle'].map((key) => call(key, key).then(log)));
      log(await call('fast', 'last'));
      return Promise.allSettled([call('fails', 'a', 6), call('slow', 'b').then(log), call('fails', 'c', 2)]);
    }));

  it('for branches that make one call after another', () =>
    expectSameCourse(async (call, log) => {
      const branch = async (name: string, ...delays: number[]): Promise<void> => {
        for (const [step, ms] of delays.entries()) log(await call('step', `${name}${step}`, ms));
      };
      await Promise.all([branch('a', 9, 9), branch('b', 3, 3, 14), branch('c', 25)]);
    }));

  it('for a call that lost a race and is looked at later', () =>
    expectSameCourse(async (call, log) => {
      const slow = call('slow', 'slow').then(log);
      log(await Promise.race([slow, call('fast', 'fast')]));
      log(await call('fast', 'second'));
      await slow;
    }));

  it('for a call that nobody waited for, and that ended after the played one', async () => {
    await expectSameCourse(async (call, log) => {
      void call('slow', 'late').then(log);
      return call('fast', 'answer');
    });
  });

  it('for streams, as far as the recording tells', () =>
    expectSameCourse(async (_, log, tracer) => {
      const tokens = tracer.withSpan('tokens', async function* (name: string, ms: number) {
        for (let i = 0; i < 3; i++) {
          await sleep(i === 0 ? ms : 1);
          yield name;
        }
        await sleep(ms);
      });
      const read = async (name: string, ms: number): Promise<void> => {
        let first = true;
        for await (const token of tokens(name, ms)) {
          if (first) log(`first ${token}`);
          first = false;
        }
        log(`end of ${name}`);
      };
      await Promise.all([read('a', 20), read('b', 8)]);
    }));

  it('beside a function that really runs: its end counts too', () =>
    expectSameCourse(
      async (call, log) => {
        // So slow that the one that really runs ends before it on a busy machine too.
        const slow = (name: string): Promise<unknown> => call('slow', name, 800);
        await Promise.all(
          [call('fast', 'fast'), call('middle', 'middle'), slow('slow')].map((made) => made.then(log)),
        );
        return Promise.race([call('middle', 'really'), slow('answered')]);
      },
      { live: [{ key: 'middle' }] },
    ));

  it('not for ever beside one that waits for them today, though it ended first then', async () => {
    let isToday = false;
    const program: Program = async (call, log, tracer) => {
      const tool = call('middle', 'tool').then(log);
      const model = tracer.withSpan('model', async () => {
        if (isToday) await tool;
        log('model');
      });
      await Promise.all([model(), tool]);
      isToday = true;
    };
    const { items } = await replayOf(program, { live: [{ key: 'model' }] });
    expect(items).toMatchObject([{ result: ['tool', 'model', undefined], divergences: [] }]);
  });

  it('and never wait for a call that is not made any more', async () => {
    let isNew = false;
    const { items } = await replayOf(async (call, log) => {
      const slow = call('slow', 'slow').then(log);
      if (!isNew) await call('fast', 'fast').then(log);
      isNew = true;
      await slow;
    });
    expect(items).toMatchObject([{ result: ['slow', undefined], divergences: [{ kind: 'missing' }] }]);
  });

  it('after the played call, if they came after it then, so that a timer that really runs wins again', async () => {
    const { before, items } = await replayOf(async (call) =>
      Promise.race([call('tool', 'tool', 400), sleep(5).then(() => 'timed out')]),
    );
    expect([before, items[0]?.result]).toEqual([['timed out'], ['timed out']]);
  });
});

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
const programOf =
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

describe('whatever a program calls, and however it waits', () => {
  it.each([
    ['all of it answered', []],
    ['its groups run, and what they call is answered', [{ key: 'group' }]],
  ])(
    'it takes the same course, fifty times of fifty: %s',
    async (_, live) => {
      await fc.assert(
        fc.asyncProperty(node, async (root) => {
          await expectSameCourse(programOf(root), { times: 50, live });
        }),
        { numRuns: 6, endOnFailure: true },
      );
    },
    120_000,
  );
});
