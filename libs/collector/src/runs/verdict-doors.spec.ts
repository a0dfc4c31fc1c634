import { judgeReport, judgeStored, type StoredOutcome } from '@dacapo/evaluation';
import type {
  ErrorRecord,
  JsonValue,
  SpanRecord,
  TestRunItemRecord,
  TestRunItemReport,
} from '@dacapo/protocol';
import fc from 'fast-check';
import { compareItems } from './outcome-likeness.js';
import { sha256 } from '../sha256.js';

const PAIRS = 3000;

/** How a call ended, before it is recorded. */
interface Course {
  readonly kind: 'value' | 'stream' | 'generator';
  readonly items: readonly JsonValue[];
  readonly returned?: JsonValue;
  readonly error?: ErrorRecord;
}

type Capture = 'whole' | 'mapped' | 'withheld' | 'cut';

/** Records a course. `mapped`: a `captureOutput` joined the items as text. */
function record({ kind, items, returned, error }: Course, capture: Capture): StoredOutcome {
  const isStream = kind !== 'value';
  const stream = isStream && {
    kind,
    items: items.length + (capture === 'cut' ? 1 : 0),
    ...(returned !== undefined && error === undefined && capture === 'whole' && { returned }),
  };
  const whole = isStream ? [...items] : (items[0] ?? null);
  const isOutputRecorded = capture !== 'withheld' && (isStream || error === undefined);
  const notes = {
    whole: undefined,
    mapped: { replayable: false as const },
    withheld: { replayable: false as const },
    cut: { replayable: false as const, truncated: { '': { items: items.length + 1 } } },
  }[capture];
  return {
    ...(error && { error }),
    ...(isOutputRecorded && { output: capture === 'mapped' ? JSON.stringify(whole) : whole }),
    ...((notes ?? stream) && { meta: { ...(notes && { output: notes }), ...(stream && { stream }) } }),
  };
}

type Expected = 'same' | 'changed' | 'unknown' | 'error' | 'new error' | 'fixed';
interface Pair {
  readonly before: StoredOutcome;
  readonly now: StoredOutcome;
  readonly expected: Expected;
}

const leaf = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 5 }),
  fc.boolean(),
  fc.record({ a: fc.integer(), b: fc.string({ maxLength: 3 }) }),
);
const error = fc.record({
  name: fc.constantFrom('Error', 'TypeError'),
  message: fc.string({ maxLength: 5 }),
});
const course: fc.Arbitrary<Course> = fc
  .record(
    {
      kind: fc.constantFrom('value', 'stream', 'generator'),
      items: fc.array(leaf, { maxLength: 4 }),
      returned: leaf,
      error,
    },
    { requiredKeys: ['kind', 'items'] },
  )
  .map(({ kind, items, returned, error: thrown }): Course => ({
    kind,
    items: kind === 'value' ? items.slice(0, 1) : items,
    ...(kind === 'generator' && returned !== undefined && { returned }),
    ...(thrown && { error: thrown }),
  }));
const capture = fc.constantFrom<Capture>('whole', 'whole', 'whole', 'mapped', 'withheld', 'cut');

/** A verdict is `unknown` when the outputs are not recorded whole. */
function known(expected: 'changed' | 'error', captured: Capture): Expected {
  return captured === 'whole' || captured === 'mapped' ? expected : 'unknown';
}

const isStream = ({ kind }: Course): boolean => kind !== 'value';
const yields = (made: Course): boolean => made.items.length > 0;

/** Each changes one part of a course, so the verdict is known by construction; `undefined` when the course lacks the part. */
const CHANGES: Record<string, (made: Course, captured: Capture) => Pair | undefined> = {
  nothing: (made, captured) => {
    const now = { ...made, ...(made.error && { error: { ...made.error, stack: 'elsewhere' } }) };
    const isKnown = captured === 'whole' || captured === 'mapped';
    const isNothing =
      made.error !== undefined && (!isStream(made) || (captured === 'withheld' && !yields(made)));
    return pair(made, now, captured, isKnown || isNothing ? 'same' : 'unknown');
  },
  'the order of properties': (made, captured) => {
    if (captured !== 'whole') return undefined;
    const items = made.items.map((item) =>
      typeof item === 'object' && item !== null ? Object.fromEntries(Object.entries(item).reverse()) : item,
    );
    return pair(made, { ...made, items }, captured, 'same');
  },
  'an item': (made, captured) => {
    if (!yields(made) || (!isStream(made) && made.error !== undefined)) return undefined;
    const items = [{ was: made.items[0] ?? null }, ...made.items.slice(1)];
    const verdict = made.error === undefined ? 'changed' : 'error';
    // The head of a cut list differs, whatever was cut.
    return pair(made, { ...made, items }, captured, captured === 'cut' ? verdict : known(verdict, captured));
  },
  'one item more': (made, captured) => {
    if (!isStream(made) || captured === 'cut') return undefined;
    const now = { ...made, items: [...made.items, 'more'] };
    return pair(made, now, captured, known(made.error === undefined ? 'changed' : 'error', captured));
  },
  'the type of an item': (made, captured) => {
    if (!yields(made) || captured !== 'whole' || (!isStream(made) && made.error !== undefined))
      return undefined;
    const date = '1970-01-01T00:00:00.005Z';
    const text = { ...made, items: [date] };
    const { before, now, expected } = pair(
      text,
      text,
      captured,
      made.error === undefined ? 'changed' : 'error',
    );
    const types = { [isStream(made) ? '/0' : '']: 'Date' as const };
    return { before, now: { ...now, meta: { ...now.meta, output: { types } } }, expected };
  },
  'the return value': (made, captured) => {
    if (made.kind !== 'generator' || made.error !== undefined || captured !== 'whole') return undefined;
    return pair(made, { ...made, returned: { was: made.returned ?? null } }, captured, 'changed');
  },
  'the message of the error': (made, captured) => {
    if (made.error === undefined) return undefined;
    const thrown = { ...made.error, message: `${made.error.message}!` };
    return pair(made, { ...made, error: thrown }, captured, 'error');
  },
  'that it fails now': (made, captured) =>
    made.error === undefined
      ? pair(made, { ...made, error: { name: 'Error', message: 'new' } }, captured, 'new error')
      : undefined,
  'that it does not fail any more': (made, captured) => {
    const { error: thrown, ...now } = made;
    return thrown === undefined ? undefined : pair(made, now, captured, 'fixed');
  },
  'that its items were not stored': (made, captured) => {
    if (!isStream(made) || made.error === undefined) return undefined;
    const { before } = pair(made, made, captured, 'unknown');
    return { before, now: { error: made.error }, expected: 'unknown' };
  },
  'that it was cancelled before': (made, captured) => {
    if (!isStream(made) || made.error !== undefined || captured === 'withheld') return undefined;
    const { before, now } = pair(made, made, captured, 'unknown');
    return { before: { ...before, status: 'cancelled' }, now, expected: 'unknown' };
  },
  'that it had no end before': (made, captured) => {
    const { error: thrown, ...open } = made;
    const { before, now } = pair(open, made, captured, 'unknown');
    return { before: { ...before, status: 'unfinished' }, now, expected: thrown ? 'new error' : 'unknown' };
  },
};

function pair(before: Course, now: Course, captured: Capture, expected: Expected): Pair {
  return { before: record(before, captured), now: record(now, captured), expected };
}

type Flags = { newError?: boolean | undefined; fixed?: boolean | undefined };

function toExpected({ verdict, newError, fixed }: Flags & Pick<TestRunItemRecord, 'verdict'>): Expected {
  if (verdict === 'error' && newError === true) return 'new error';
  return verdict === 'changed' && fixed === true ? 'fixed' : verdict;
}

function recordToExpected({ verdict, new_error: newError, fixed }: TestRunItemRecord): Expected {
  return toExpected({ verdict, newError, fixed });
}

const toReport = ({ output, error: thrown, meta }: StoredOutcome): TestRunItemReport => ({
  item_no: 0,
  ...(output !== undefined && { result: output }),
  ...(thrown && { error: thrown }),
  ...(meta && { meta }),
});

function toSpan({
  output,
  error: thrown,
  meta,
  status = thrown ? 'error' : 'ok',
}: StoredOutcome): SpanRecord {
  return {
    id: 's',
    trace_id: 't',
    trace_function_key: 'k',
    name: 'k',
    type: 'llm',
    status,
    started_at: '2026-01-31T12:00:00.000000Z',
    span_data: {
      ...(output !== undefined && { output }),
      ...(thrown && { error: thrown }),
      ...(meta && { meta }),
    },
  };
}

const toBaseline = ({ output, error: thrown, meta }: StoredOutcome): Partial<TestRunItemReport> => ({
  baseline: 'accepted',
  ...(output !== undefined && { original_output: output }),
  ...(thrown && { original_error: thrown }),
  ...(meta && { original_meta: meta }),
});

describe('two outcomes', () => {
  it('have the same verdict in every comparison: direct, of a report, with a baseline, and between two runs', () => {
    const counts = new Map<string, number>();
    fc.assert(
      fc.property(course, capture, fc.constantFrom(...Object.keys(CHANGES)), (made, wanted, change) => {
        const captured = wanted === 'cut' && !isStream(made) ? 'whole' : wanted;
        const found = CHANGES[change]?.(made, captured);
        fc.pre(found !== undefined);
        const { before, now, expected } = found;
        counts.set(expected, (counts.get(expected) ?? 0) + 1);
        expect(toExpected(judgeStored(before, now, { sha256 }))).toBe(expected);
        expect(recordToExpected(judgeReport(toReport(now), toSpan(before)))).toBe(expected);
        const claimed = judgeReport({ ...toReport(now), verdict: 'same' }, toSpan(before));
        expect(recordToExpected(claimed)).toBe(expected === 'unknown' ? 'same' : expected);
        if (before.status !== undefined) return;
        expect(recordToExpected(judgeReport({ ...toReport(now), ...toBaseline(before) }, undefined))).toBe(
          expected,
        );
        const [here, there] = [now, before].map((one) => ({ ...toReport(one), verdict: 'unknown' as const }));
        const likeness = expected === 'same' || expected === 'unknown' ? expected : 'different';
        expect(here && there && compareItems(here, there)).toBe(likeness);
      }),
      { numRuns: PAIRS },
    );
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(PAIRS);
    expect([...counts.keys()].sort()).toEqual(['changed', 'error', 'fixed', 'new error', 'same', 'unknown']);
    for (const count of counts.values()) expect(count).toBeGreaterThan(PAIRS / 100);
  });
});
