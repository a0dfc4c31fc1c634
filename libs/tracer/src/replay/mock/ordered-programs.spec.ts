import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { startStoredSpansService } from '../../../test/service/stored-spans-service.js';
import type { ReplayOptions } from '../../options/replay-options.js';
import { createTestTracer } from '../../testing.js';
import type { Tracer } from '../../tracer.js';
import type { ReplayItem } from '../../replay-types.js';

/** A program whose calls do not depend on time; only when they run does. */
type Step =
  | { readonly call: string; readonly isSync: boolean }
  | { readonly isWait: true }
  | { readonly steps: readonly Step[] }
  | { readonly branches: readonly Step[] }
  | { readonly group: string; readonly inside: Step }
  | { readonly times: number; readonly each: Step };

const call = fc.record({ call: fc.constantFrom('a', 'b', 'c', 'd'), isSync: fc.boolean() });
const stepsArbitrary = (step: fc.Arbitrary<Step>): fc.Arbitrary<readonly Step[]> =>
  fc.array(step, { minLength: 1, maxLength: 4 });
const { step } = fc.letrec<{ step: Step }>((tie) => ({
  step: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    call,
    fc.constant({ isWait: true as const }),
    fc.record({ steps: stepsArbitrary(tie('step')) }),
    fc.record({ branches: stepsArbitrary(tie('step')) }),
    fc.record({ group: fc.constantFrom('g', 'h'), inside: tie('step') }),
    fc.record({ times: fc.integer({ min: 1, max: 3 }), each: tie('step') }),
  ),
}));

/** Takes another time in each run: mostly some turns of the event loop, now and then milliseconds. */
const someTime = async (): Promise<void> => {
  if (Math.random() < 0.3) await sleep(Math.random() * 3);
  else for (let turns = Math.random() * 5; turns > 1; turns--) await new Promise(setImmediate);
};

/** Calls that are made with the same arguments are told apart by nothing, as in real programs. */
function desk(tracer: Tracer, program: Step): () => Promise<string> {
  const waits = tracer.withSpan('waits', async (name: string) => {
    await someTime();
    return name;
  });
  const isSync = tracer.withSpan('sync', (name: string) => name);
  const run = async (of: Step): Promise<void> => {
    if ('call' in of) await (of.isSync ? isSync(of.call) : waits(of.call));
    else if ('isWait' in of) await someTime();
    else if ('steps' in of) for (const one of of.steps) await run(one);
    else if ('branches' in of) await Promise.all(of.branches.map(run));
    else if ('group' in of) await tracer.withSpan(of.group, async () => run(of.inside))();
    else for (let time = 0; time < of.times; time++) await run(of.each);
  };
  return tracer.withSpan('desk', async () => {
    await run(program);
    return 'done';
  });
}

async function replay(
  recorded: Step,
  replayed: Step,
  options: readonly ReplayOptions[],
): Promise<ReplayItem[]> {
  const recording = createTestTracer();
  await desk(recording.tracer, recorded)();
  const service = await startStoredSpansService(recording.spans);
  const { tracer } = createTestTracer({ serviceUrl: service.url });
  const items: ReplayItem[] = [];
  try {
    for (const each of options)
      items.push(...(await tracer.replay('desk', desk(tracer, replayed), each)).items);
  } finally {
    await service.close();
  }
  return items;
}

const MOCKS: ReplayOptions[] = [
  { mock: 'none' },
  { mock: 'all' },
  { mock: 'all', live: [{ key: 'g' }, { key: 'h' }] },
  { mock: 'all', live: [{ key: 'waits' }] },
  { mock: 'none' },
];

describe('a replay of a program whose calls do not depend on time', () => {
  it('has no divergences while the program is unchanged, for any timing', async () => {
    await fc.assert(
      fc.asyncProperty(step, async (program) => {
        const items = await replay(program, program, [...MOCKS, ...MOCKS]);
        expect(items.map(({ error, divergences }) => ({ error, divergences }))).toEqual(
          items.map(() => ({ error: undefined, divergences: [] })),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('reports a reordered call when two calls of one sequence changed places', async () => {
    const around = fc.tuple(...[0, 1, 2].map(() => fc.array(step, { maxLength: 2 })));
    const places = fc.constantFrom<(inside: Step) => Step>(
      (inside) => inside,
      (inside) => ({ branches: [{ isWait: true }, inside, { call: 'a', isSync: false }] }),
      (inside) => ({ group: 'g', inside: { steps: [{ call: 'b', isSync: false }, inside] } }),
      (inside) => ({ branches: [{ steps: [{ isWait: true }, { branches: [inside, { isWait: true }] }] }] }),
    );
    await fc.assert(
      fc.asyncProperty(around, places, fc.boolean(), async ([before, between, behind], place, isSync) => {
        const sequence = (...calls: readonly string[]): Step => {
          const [first, second] = calls.map((name) => ({ call: name, isSync }));
          return place({ steps: [...before!, first!, ...between!, second!, ...behind!] });
        };
        const items = await replay(sequence('first', 'second'), sequence('second', 'first'), [
          MOCKS[0]!,
          MOCKS[2]!,
        ]);
        for (const { divergences } of items)
          expect(new Set(divergences.map(({ kind }) => kind))).toEqual(new Set(['reordered']));
      }),
      { numRuns: 15 },
    );
  });
});
