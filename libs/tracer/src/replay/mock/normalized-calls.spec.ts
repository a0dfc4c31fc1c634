import { isDeepStrictEqual } from 'node:util';
import type { JsonValue, RecordedCall, RecordedDescendant } from '@dacapo/protocol';
import fc from 'fast-check';
import { Captured } from '../../capture/captured.js';
import { Capturer } from '../../capture/capturer.js';
import type { OpenedCall } from '../../recording/replay-scope.js';
import { defineSpan } from '../../recording/span-definition.js';
import { ArgumentNormalizer, type Normalize } from './argument-normalizer.js';
import { recordedCallArguments } from './call-arguments.js';
import { InnerCalls } from './inner-calls.js';
import { MockPolicy } from './mock-policy.js';

const capturer = new Capturer();

const replayed = {
  trace_id: 't',
  span_id: 'root',
  name: 'desk',
  type: 'function',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000001Z',
  duration_ms: 100,
} as RecordedCall;

/** A recorded call that gave its own id. */
const past = (
  span_id: string,
  key: string,
  args: JsonValue[],
  changes: Partial<RecordedDescendant> = {},
): RecordedDescendant => ({
  trace_id: 't',
  span_id,
  parent_id: 'root',
  trace_function_key: key,
  name: key,
  type: 'function',
  status: 'ok',
  started_at: '2026-01-01T00:00:00.000002Z',
  duration_ms: 1,
  input: args,
  meta: { sync: true },
  output: span_id,
  ...changes,
});

let spanCount = 0;
/** A call that is made now. */
const now = (key: string, args: JsonValue[], parentId = 'desk'): OpenedCall => ({
  spanId: `${key} ${spanCount++}`,
  start: {
    definition: defineSpan({ key, name: key, type: 'function' }),
    parentId,
    recorder: { fields: { capturesInput: true, capturer } },
  },
  input: Captured.of(JSON.stringify(args), undefined, true),
  trace: { sampled: true },
  usage: undefined,
  hasFailed: false,
  isMocked: false,
  mockedFrom: undefined,
});

/** The inside of a replayed call that nothing has called yet. */
function inside(
  calls: readonly RecordedDescendant[],
  normalize: Normalize,
  policy = new MockPolicy('all', undefined),
): InnerCalls {
  const normalizer = new ArgumentNormalizer(normalize);
  const inner = new InnerCalls(replayed, calls, { policy, codecs: [], nowMs: () => 0, normalizer });
  const desk = now('desk', []);
  inner.opened({
    ...desk,
    spanId: 'desk',
    start: { ...desk.start, parentId: undefined, isReplayRoot: true },
  });
  return inner;
}

/** What a call is answered with: the id of its recorded call, or `miss`. */
function ask(calls: InnerCalls, opened: OpenedCall): unknown {
  calls.opened(opened);
  try {
    return calls.chooseFunction(opened, () => 'ran')();
  } catch (error) {
    return (error as { code?: string }).code === 'TRACER_REPLAY_MOCK_MISS' ? 'miss' : error;
  }
}

const AT: Normalize = { search: ['$[0].at'] };
const search = (span_id: string, at: number, q = 'late'): RecordedDescendant =>
  past(span_id, 'search', [{ q, at }]);
const searchNow = (at: number, q = 'late'): OpenedCall => now('search', [{ q, at }]);

describe('a call whose arguments may differ in parts', () => {
  it('is answered by the recorded call that is equal without these parts', () => {
    const calls = inside([search('a', 1)], AT);
    expect(ask(calls, searchNow(2))).toBe('a');
    expect(calls.divergences()).toEqual([]);
    expect(calls.normalizedCalls()).toEqual([{ key: 'search', calls: 1, ambiguous: 0 }]);
  });

  it('is a miss where its arguments differ in other parts too, or the path is one of another key', () => {
    expect(ask(inside([search('a', 1)], AT), searchNow(2, 'early'))).toBe('miss');
    expect(ask(inside([search('a', 1)], { find: ['$[0].at'] }), searchNow(2))).toBe('miss');
    const run = inside([search('a', 1)], AT, new MockPolicy('all', 'run'));
    expect(ask(run, searchNow(2, 'early'))).toBe('ran');
    expect(run.divergences()).toMatchObject([{ kind: 'changed_arguments', path: ['search'] }]);
    expect(run.normalizedCalls()).toEqual([]);
  });

  it('prefers the recorded call with equal arguments', () => {
    const calls = inside([search('a', 1), search('b', 2), search('c', 3)], AT);
    expect([2, 9, 8].map((at) => ask(calls, searchNow(at)))).toEqual(['b', 'a', 'c']);
    expect(calls.divergences()).toEqual([]);
  });

  it('is answered in recorded order when several match, and these are counted', () => {
    const calls = inside([search('a', 1), search('b', 2)], AT);
    expect([8, 9, 7].map((at) => ask(calls, searchNow(at)))).toEqual(['a', 'b', 'miss']);
    expect(calls.normalizedCalls()).toEqual([{ key: 'search', calls: 2, ambiguous: 2 }]);
  });

  it('is not ambiguous among equal recorded calls, next to a certain one, or when its parent decides', () => {
    const equal = inside([search('a', 1), search('b', 1)], AT);
    expect([8, 9].map((at) => ask(equal, searchNow(at)))).toEqual(['a', 'b']);
    const certain = inside([search('a', 1), search('b', 2)], AT);
    expect([1, 9].map((at) => ask(certain, searchNow(at)))).toEqual(['a', 'b']);
    for (const calls of [equal, certain])
      expect(calls.normalizedCalls()).toMatchObject([{ key: 'search', ambiguous: 0 }]);

    const plans = [past('p1', 'plan', [1]), past('p2', 'plan', [2])];
    const below = (span_id: string, parent_id: string, at: number): RecordedDescendant =>
      past(span_id, 'search', [{ at }], { parent_id });
    const calls = inside(
      [...plans, below('a', 'p1', 1), below('b', 'p2', 2)],
      AT,
      new MockPolicy('none', undefined),
    );
    const plan = now('plan', [2]);
    ask(calls, plan);
    const found = now('search', [{ at: 9 }], plan.spanId);
    ask(calls, found);
    expect(calls.normalizedCalls()).toEqual([{ key: 'search', calls: 1, ambiguous: 0 }]);
    expect(calls.divergences()).toMatchObject([{ kind: 'missing', path: ['plan'], sourceSpanId: 'p1' }]);
  });

  it('is found in the same way where it runs: a part that may differ is no changed argument', () => {
    const calls = inside([search('a', 1)], AT, new MockPolicy('none', undefined));
    expect(ask(calls, searchNow(2))).toBe('ran');
    expect(calls.divergences()).toEqual([]);
  });

  it.each(['fail', 'recorded', 'run'] as const)('counts once under onMockMiss %s', (onMiss) => {
    const calls = inside([search('a', 1)], AT, new MockPolicy('all', onMiss));
    expect(ask(calls, searchNow(2))).toBe('a');
    expect(calls.divergences()).toEqual([]);
    expect(ask(calls, searchNow(2))).toBe(onMiss === 'run' ? 'ran' : 'miss');
    expect(calls.divergences()).toMatchObject([{ kind: 'extra', path: ['search'] }]);
  });

  it('takes the place of a call with other arguments only when no call matches without these parts', () => {
    const calls = inside([search('a', 1, 'early'), search('b', 2)], AT, new MockPolicy('all', 'recorded'));
    expect(ask(calls, searchNow(9))).toBe('b');
    expect(ask(calls, searchNow(9))).toBe('a');
    expect(calls.divergences()).toMatchObject([{ kind: 'changed_arguments', sourceSpanId: 'a' }]);
  });

  it('is reordered only if the recording orders all calls that would do', () => {
    const after = (predecessor: string | null): Partial<RecordedDescendant> => ({
      meta: { sync: true, after: predecessor },
    });
    const ordered = [
      past('a', 'search', [{ q: 'a', at: 1 }], after(null)),
      past('b', 'search', [{ q: 'b', at: 2 }], after('a')),
    ];
    const calls = inside(ordered, AT);
    expect(['b', 'a'].map((q) => ask(calls, searchNow(9, q)))).toEqual(['b', 'a']);
    expect(calls.divergences()).toMatchObject([{ kind: 'reordered', path: ['search'] }]);

    const alike = [
      past('a', 'search', [{ at: 1 }], after(null)),
      past('mail', 'mail', [], after('a')),
      past('b', 'search', [{ at: 2 }], after(null)),
    ];
    const concurrent = inside(alike, AT);
    ask(concurrent, now('mail', []));
    ask(concurrent, now('search', [{ at: 8 }]));
    ask(concurrent, now('search', [{ at: 9 }]));
    expect(concurrent.divergences()).toEqual([]);
  });

  it('may be found below any of several calls that differ in parts that may differ', () => {
    const plans = [past('p1', 'plan', [{ at: 1 }]), past('p2', 'plan', [{ at: 2 }])];
    const mails = [
      past('a', 'mail', ['ann'], { parent_id: 'p1' }),
      past('b', 'mail', ['bob'], { parent_id: 'p2' }),
    ];
    const calls = inside([...plans, ...mails], { plan: ['$[0].at'] }, new MockPolicy('none', undefined));
    for (const name of ['bob', 'ann']) {
      const plan = now('plan', [{ at: name.length + 9 }]);
      ask(calls, plan);
      ask(calls, now('mail', [name], plan.spanId));
    }
    expect(calls.divergences()).toEqual([]);
  });

  it('is not found when the rest was cut, and is found when only ignored parts were cut', () => {
    const cut = { input: { truncated: { '/0/text': { characters: 9, kept: 4 } } } };
    const recorded = past('a', 'search', [{ text: 'long…', at: 1 }], {
      meta: { sync: true, ...cut } as never,
    });
    const normalizeSearch = (path: string): string | undefined =>
      recordedCallArguments(recorded, new ArgumentNormalizer({ search: [path] }))?.normalized;
    expect(recordedCallArguments(recorded, new ArgumentNormalizer())?.identity).toBeUndefined();
    expect(normalizeSearch('$[0].at')).toBeUndefined();
    expect(normalizeSearch('$[0].text')).toBe('[{"at":1}]');
  });
});

describe('a path of normalize', () => {
  it.each(['$', '', 'at', '$.', '$error.status', '$[0'])(
    '%j is rejected, with an example of a valid one',
    (path) => {
      expect(() => new ArgumentNormalizer({ 'desk.search': [path] }, 'replay.normalize')).toThrow(
        `replay.normalize["desk.search"] has the invalid path ${JSON.stringify(path)}. Write $[0] for the first argument`,
      );
    },
  );

  it('belongs to a key of some recorded inner call, else a note says so', () => {
    const normalizer = new ArgumentNormalizer({ serch: ['$[0]'], mail: ['$[0]'], search: ['$[0]'] });
    normalizer.sawRecorded('search');
    recordedCallArguments(past('a', 'search', [1]), normalizer);
    expect(normalizer.warnings()).toEqual([
      'normalize names the key "serch", but no recorded inner call has it. Did you mean "search"?',
      'normalize names the key "mail", but no recorded inner call has it. Use the trace function key of an inner call.',
    ]);
  });

  it('matches a value in some call, else a note says so', () => {
    const paths = ['$[0].idd', '$[0].id', '$..id', '$[0].made', '$[*].tags[*].at'];
    const normalizer = new ArgumentNormalizer({ search: paths });
    normalizer.sawRecorded('search');
    recordedCallArguments(past('a', 'search', [{ id: 4, tags: [] }]), normalizer);
    expect(normalizer.warnings()).toHaveLength(3);
    recordedCallArguments(past('b', 'search', [{ made: null, tags: [{ at: 1 }] }]), normalizer);
    expect(normalizer.warnings()).toEqual([
      'normalize["search"] has the path "$[0].idd", but no call has a value there. Compare it with the arguments of a recorded call: $[0] is the first.',
    ]);
  });
});

interface Step {
  readonly isAnywhere: boolean;
  readonly name: string | undefined;
}

/** The reference: a copy without what the path leads to. Items of lists keep their place. */
function without(value: JsonValue, [step, ...rest]: readonly Step[]): JsonValue {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, part]): [string, JsonValue][] => {
    const isMatch = step.name === undefined || step.name === name;
    if (isMatch && rest.length === 0) return Array.isArray(value) ? [[name, null]] : [];
    const inside = isMatch ? without(part, rest) : part;
    return [[name, step.isAnywhere ? without(inside, [step, ...rest]) : inside]];
  });
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

const written = (steps: readonly Step[]): string =>
  `$${steps.map(({ isAnywhere, name }) => (isAnywhere ? `..${name ?? '*'}` : name === undefined ? '[*]' : /\d/.test(name) ? `[${name}]` : `.${name}`)).join('')}`;

const step: fc.Arbitrary<Step> = fc.record({
  isAnywhere: fc.boolean(),
  name: fc.constantFrom('a', 'b', '0', '1', undefined),
});
const steps = fc.array(step, { minLength: 1, maxLength: 3 });
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, 2, 'x', null),
    fc.array(tie('tree'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree'), { maxKeys: 3 }).map((all) => ({ ...all })),
  ),
}));
const args = fc.array(tree, { minLength: 1, maxLength: 2 });

describe('arguments without the parts that may differ', () => {
  const normalize = (input: JsonValue[], paths: readonly (readonly Step[])[]): string | undefined =>
    recordedCallArguments(past('a', 'k', input), new ArgumentNormalizer({ k: paths.map(written) }))
      ?.normalized;

  it('are equal exactly if they are equal once the paths are deleted from both', () => {
    let equal = 0;
    fc.assert(
      fc.property(args, args, fc.array(steps, { minLength: 1, maxLength: 3 }), (one, other, paths) => {
        const deleted = [one, other].map((all) => paths.reduce<JsonValue>(without, all));
        const isEqual = isDeepStrictEqual(deleted[0], deleted[1]);
        equal += isEqual ? 1 : 0;
        expect(normalize(one, paths) === normalize(other, paths)).toBe(isEqual);
      }),
      { numRuns: 3000 },
    );
    expect(equal).toBeGreaterThan(50);
  });

  it('answer each call with the first open recorded call that is equal, else with the first that is equal without the parts', () => {
    const call = fc.record({ q: fc.constantFrom('x', 'y'), at: fc.integer({ min: 0, max: 3 }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), fc.array(call, { maxLength: 8 }), (recorded, made) => {
        const open = recorded.map((argument, index) => ({ ...argument, id: `r${index}` }));
        const expected = made.map(({ q, at }) => {
          const exact = open.findIndex((one) => one.q === q && one.at === at);
          const index = exact === -1 ? open.findIndex((one) => one.q === q) : exact;
          return index === -1 ? 'miss' : open.splice(index, 1)[0]!.id;
        });
        const calls = inside(
          recorded.map(({ q, at }, index) => search(`r${index}`, at, q)),
          AT,
        );
        expect(made.map(({ q, at }) => ask(calls, searchNow(at, q)))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
