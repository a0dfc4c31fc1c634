import { startCollector } from '@dacapo/collector';
import { judgeStored, newOutcomeOf, originalOutcomeOf } from '@dacapo/evaluation';
import {
  type JsonObject,
  type Page,
  routePath,
  ROUTES,
  type RunComparison,
  type TestRunItemRecord,
  type TestRunRecord,
} from '@dacapo/protocol';
import { type ReplayItem, type RunBaseline, Tracer } from '@dacapo/tracer';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './support/remove-folder.js';

const KINDS = ['value', 'generator', 'async-generator', 'async-iterable'] as const;
/** How a call goes. */
interface Course {
  readonly kind: (typeof KINDS)[number];
  readonly items: readonly unknown[];
  readonly returned?: unknown;
  /** The message of what it throws in the end. */
  readonly fails?: string;
  /** Its consumer stops before this item. */
  readonly stopsAt?: number;
}

const CAPTURES = ['whole', 'mapped', 'withheld'] as const;
type Capture = (typeof CAPTURES)[number];
const CAPTURE_OUTPUT = {
  whole: true,
  mapped: (output: unknown) => ({ seen: output }),
  withheld: false,
} as const;

type Answer = 'same' | 'changed' | 'fixed' | 'unknown' | 'error' | 'new error';
interface Pair {
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

/** Of `undefined`, nothing is recorded where `captureOutput` maps outputs: it may as well have been a value that maps to nothing. */
const isUnrecorded = ({ kind, items, fails }: Course, capture: Capture): boolean =>
  capture === 'mapped' && kind === 'value' && fails === undefined && items[0] === undefined;

/** Each changes one known part of a course, so that the answer is known. `undefined`: the course has no such part. */
const CHANGES: Record<string, (before: Course, capture: Capture) => Omit<Pair, 'change'> | undefined> = {
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
    return { before, now: { ...before, items: [...before.items, 1] }, expected: differing(before, capture) };
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

/** By hand, and as many generated ones. */
function pairsFor(capture: Capture, seed: number): Pair[] {
  const approved: Course = { kind: 'generator', items: ['approved'], fails: 'connection lost' };
  const known: Pair[] = KINDS.filter((kind) => kind !== 'value').flatMap((kind) => [
    {
      ...{ change: 'REJECTED for approved', before: { ...approved, kind } },
      ...{
        now: { ...approved, kind, items: ['REJECTED'] },
        expected: capture === 'withheld' ? 'unknown' : 'error',
      },
    },
    {
      ...{ change: 'nothing after approved', before: { ...approved, kind } },
      ...{ now: { ...approved, kind }, expected: capture === 'withheld' ? 'unknown' : 'same' },
    },
  ]);
  const made = fc.sample(fc.tuple(course, fc.constantFrom(...Object.keys(CHANGES))), { numRuns: 90, seed });
  return [
    ...known,
    ...made.flatMap(([before, change]): Pair[] => {
      const found = CHANGES[change]?.(before, capture);
      return found === undefined ? [] : [{ change, ...found }];
    }),
  ];
}

function follow({ kind, items, returned, fails }: Course): unknown {
  const end = (): unknown => {
    if (fails !== undefined) throw new Error(fails);
    return returned;
  };
  switch (kind) {
    case 'value':
      end();
      return items[0];
    case 'generator':
      return (function* () {
        yield* items;
        return end();
      })();
    case 'async-generator':
      return (async function* () {
        await Promise.resolve();
        yield* items;
        return end();
      })();
    case 'async-iterable':
      return {
        async *[Symbol.asyncIterator]() {
          await Promise.resolve();
          yield* items;
          end();
        },
      };
  }
}

async function consume(given: unknown, stopsAt = Infinity): Promise<void> {
  if (typeof given !== 'object' || given === null || !('next' in given || Symbol.asyncIterator in given))
    return;
  let read = 0;
  for await (const item of given as AsyncIterable<unknown>)
    if (read++ >= stopsAt || item === undefined) break;
}

function answerOf({ verdict, newError, fixed }: Pick<ReplayItem, 'verdict' | 'newError' | 'fixed'>): Answer {
  if (verdict === 'error' && newError) return 'new error';
  return verdict === 'changed' && fixed ? 'fixed' : verdict;
}

const LIKENESS: Record<RunComparison['items'][number]['relation'], string> = {
  ...{ same_outcome: 'same', judged_otherwise: 'same', unknown: 'unknown' },
  ...{ improved: 'different', regressed: 'different', other_outcome: 'different' },
  ...{ only_here: 'missing', only_there: 'missing' },
};

describe('every way to compare two outcomes', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  const seed = Math.floor(Math.random() * 2 ** 31);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-verdict-doors-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({
      ...{ apiKey: collector.apiKey!, serviceUrl: collector.url },
      capture: { maxFieldBytes: 4096 },
    });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  async function request<T>(path: string, body?: JsonObject): Promise<T> {
    const headers = { 'API-Key': collector.apiKey!, 'content-type': 'application/json' };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(new URL(path, collector.url), { headers, ...post });
    if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async function recordsOf(id: string): Promise<TestRunItemRecord[]> {
    const path = `${routePath(ROUTES.testRunItems, { id })}?payloads=true&limit=200`;
    return (await request<Page<TestRunItemRecord>>(path)).items;
  }

  /** What the service says of the same outcomes, reported without a verdict. */
  async function judgedByService(
    key: string,
    records: readonly TestRunItemRecord[],
  ): Promise<TestRunItemRecord[]> {
    const { id } = await request<TestRunRecord>(ROUTES.testRuns, { trace_function_key: key });
    const items = records.map(({ item_no, source_trace_id, source_span_id, result, error, meta }) => ({
      ...{ item_no, source_trace_id, source_span_id, result, error, meta },
    }));
    await request(routePath(ROUTES.testRunItems, { id }), { items: items as unknown as JsonObject[] });
    return recordsOf(id);
  }

  it.each(CAPTURES)(
    'has the same answer, with outputs recorded %s',
    async (capture) => {
      const pairs = pairsFor(capture, seed);
      let side: 'before' | 'now' | 'both' = 'before';
      const begun = new Set<number>();
      const itemNumbers = new Map<number, number>();
      const fn = tracer.withSpan(
        capture,
        { captureOutput: CAPTURE_OUTPUT[capture] },
        (index: number): unknown => {
          const isSecond = begun.has(index);
          begun.add(index);
          // The two versions of a call take turns in being first.
          const isBaselineFirst = (itemNumbers.get(index) ?? 0) % 2 === 0;
          const isBaseline = side === 'before' || (side === 'both' && isSecond !== isBaselineFirst);
          const { before, now } = pairs[index]!;
          return follow(isBaseline ? before : now);
        },
      );
      for (const [index, { before }] of pairs.entries()) {
        try {
          await consume(fn(index), before.stopsAt);
        } catch {
          // The failure is recorded.
        }
      }
      await tracer.flush();
      const version = tracer.withSpan(
        capture,
        { captureOutput: CAPTURE_OUTPUT[capture] },
        (index: number): unknown => follow(pairs[index]!.before),
      );
      const replay = async (played: typeof side, baseline?: RunBaseline) => {
        side = played;
        begun.clear();
        const options = { limit: 1000, ...(baseline !== undefined && { baseline }) };
        const run = await tracer.replay(capture, fn, options);
        return { id: run.testRunId, answers: byIndex(run.items) };
      };
      const byIndex = (items: readonly ReplayItem[]) =>
        new Map(items.map((item) => [Number(item.input[0]), answerOf(item)]));

      const earlier = await replay('before');
      for (const { item_no: itemNo, input } of await recordsOf(earlier.id))
        itemNumbers.set(Number((input as number[])[0]), itemNo);
      const recording = await replay('now');
      const doors = [
        (await replay('both', 'self')).answers,
        (await replay('now', { testRunId: earlier.id })).answers,
        (await replay('now', { function: version })).answers,
      ];
      for (const { item_no } of await recordsOf(earlier.id))
        await request(routePath(ROUTES.acceptTestRunItem, { id: earlier.id, item_no: String(item_no) }), {});
      doors.push((await replay('now', 'accepted')).answers);

      const records = await recordsOf(recording.id);
      const byService = await judgedByService(capture, records);
      const compared = await request<RunComparison>(
        `${routePath(ROUTES.compareTestRun, { id: recording.id })}?with=${earlier.id}&limit=200`,
      );
      expect(records).toHaveLength(pairs.length);
      for (const record of records) {
        const index = Number(record.input?.[0]);
        const pair = pairs[index]!;
        const relation = compared.items.find(({ here }) => here?.item_no === record.item_no)?.relation;
        const stored = judgeStored(originalOutcomeOf(record), newOutcomeOf(record), {
          sha256: (text) => createHash('sha256').update(text).digest('hex'),
        });
        const reported = byService.find(({ item_no }) => item_no === record.item_no)!;
        const answers = {
          recording: recording.answers.get(index),
          function: answerOf(stored),
          service: answerOf({
            verdict: reported.verdict,
            ...(reported.new_error && { newError: true }),
            ...(reported.fixed && { fixed: true }),
          }),
          // A replay cannot stop a stream as its consumer did.
          ...(pair.before.stopsAt === undefined && {
            self: doors[0]?.get(index),
            testRun: doors[1]?.get(index),
            beside: doors[2]?.get(index),
            accepted: doors[3]?.get(index),
            runs: relation && LIKENESS[relation],
          }),
        };
        const { expected } = pair;
        const isLike = expected === 'same' || expected === 'unknown';
        expect({ seed, pair, answers }).toEqual({
          seed,
          pair,
          answers: {
            ...Object.fromEntries(Object.keys(answers).map((door) => [door, expected])),
            ...(pair.before.stopsAt === undefined && { runs: isLike ? expected : 'different' }),
          },
        });
      }
      expect(pairs.length).toBeGreaterThan(20);
    },
    60_000,
  );
});
