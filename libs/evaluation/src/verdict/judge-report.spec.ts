import { createHash } from 'node:crypto';
import type { CaptureMeta, JsonValue, SpanRecord, TestRunItemReport } from '@dacapo/protocol';
import { addRecordedCall, judgeReport } from './judge-report.js';

const error = { name: 'E', message: 'm', stack: 'here' };
const cut: CaptureMeta = { output: { truncated: { '': { bytes: 9 } } } };

function recorded(span_data: SpanRecord['span_data'], status: SpanRecord['status'] = 'ok'): SpanRecord {
  const times = { started_at: '2026-01-31T12:00:00.000000Z', duration_ms: 1500 };
  const kind = { trace_function_key: 'k', name: 'k', type: 'llm', status } as const;
  return { id: 's', trace_id: 't', ...kind, ...times, span_data };
}

const answered = (output: JsonValue, meta?: CaptureMeta): SpanRecord =>
  recorded({ input: ['q'], output, ...(meta && { meta }) });

/** The notes of a generator that gave two items. */
const returning = (returned?: JsonValue): CaptureMeta => ({
  stream: { kind: 'generator', items: 2, ...(returned !== undefined && { returned }) },
});

const item = (rest: Partial<TestRunItemReport>): TestRunItemReport => ({ item_no: 0, ...rest });

describe('An item reported without a verdict', () => {
  it.each<[string, Partial<TestRunItemReport>, SpanRecord | undefined, object]>([
    ['the same output', { result: { b: 2, a: 1 } }, answered({ a: 1, b: 2 }), { verdict: 'same' }],
    ['another output', { result: 1 }, answered(2), { verdict: 'changed' }],
    [
      'the same JSON of another type',
      { result: '2026-01-31T12:00:00.000Z' },
      answered('2026-01-31T12:00:00.000Z', { output: { types: { '': 'Date' } } }),
      { verdict: 'changed' },
    ],
    [
      'the head of texts that were cut without a hash',
      { result: 'head', meta: cut },
      answered('head', cut),
      { verdict: 'unknown' },
    ],
    [
      'what a generator returned before, too',
      { result: [1, 2], meta: returning(3) },
      answered([1, 2], returning(3)),
      { verdict: 'same' },
    ],
    [
      'items of a generator that returned something else',
      { result: [1, 2], meta: returning(4) },
      answered([1, 2], returning(3)),
      { verdict: 'changed' },
    ],
    [
      'items of a generator that returns nothing now',
      { result: [1, 2], meta: returning() },
      answered([1, 2], returning(3)),
      { verdict: 'changed' },
    ],
    [
      'items of a generator, and not what it returned, as version 0.1',
      { result: [1, 2] },
      answered([1, 2], returning(3)),
      { verdict: 'unknown' },
    ],
    [
      'items of a generator that returned nothing, as version 0.1',
      { result: [1, 2] },
      answered([1, 2], returning()),
      { verdict: 'same' },
    ],
    [
      'other items, and not what it returned',
      { result: [1] },
      answered([1, 2], returning(3)),
      { verdict: 'changed' },
    ],
    ['a new error', { error }, answered(1), { verdict: 'error', new_error: true }],
    [
      'the error of before, after other items',
      { error, result: ['REJECTED'], meta: returning() },
      recorded({ error, output: ['approved'], meta: returning() }, 'error'),
      { verdict: 'error' },
    ],
    [
      'the error of before, after the same items',
      { error, result: ['approved'], meta: returning() },
      recorded({ error, output: ['approved'], meta: returning() }, 'error'),
      { verdict: 'same', failing_as_before: true },
    ],
    [
      'the error of before, without the items that came first',
      { error },
      recorded({ error, output: ['approved'], meta: returning() }, 'error'),
      { verdict: 'unknown' },
    ],
    [
      'the error of before',
      { error },
      recorded({ error: { ...error, stack: 'there' } }),
      { verdict: 'same', failing_as_before: true },
    ],
    ['another error', { error }, recorded({ error: { ...error, code: 1 } }), { verdict: 'error' }],
    ['a value in place of an error', { result: 1 }, recorded({ error }), { verdict: 'changed', fixed: true }],
    [
      'nothing, after an error that was not recorded',
      {},
      recorded({}, 'error'),
      { verdict: 'changed', fixed: true },
    ],
    ['an error, after one that was not recorded', { error }, recorded({}, 'error'), { verdict: 'error' }],
    [
      'nothing, as before the end that is not recorded',
      {},
      recorded({}, 'unfinished'),
      { verdict: 'unknown' },
    ],
    ['nothing, as before it was cancelled', {}, recorded({}, 'cancelled'), { verdict: 'unknown' }],
    [
      'what came before it was cancelled',
      { result: [1] },
      recorded({ output: [1] }, 'cancelled'),
      { verdict: 'unknown' },
    ],
    [
      'other than came before it was cancelled',
      { result: [2] },
      recorded({ output: [1] }, 'cancelled'),
      { verdict: 'changed' },
    ],
    ['no recorded call', { result: 1 }, undefined, { verdict: 'unknown' }],
    ['an error, and no recorded call', { error }, undefined, { verdict: 'error' }],
    [
      'items of a generator, and what they are expected to be',
      { result: [1], meta: returning(3), baseline: 'expected', original_output: [1] },
      answered([2]),
      { verdict: 'same' },
    ],
    [
      'items of a generator, and those of an earlier run without what that returned',
      { result: [1], meta: returning(3), baseline: 'test_run', original_output: [1] },
      answered([2]),
      { verdict: 'unknown' },
    ],
  ])('is compared by its stored values: %s', (_, report, original, judgement) => {
    expect(judgeReport(item(report), original)).toMatchObject(judgement);
  });
});

describe('An item reported as `same`', () => {
  const said = (rest: Partial<TestRunItemReport>) => item({ verdict: 'same', ...rest });

  it('is corrected when the stored values differ', () => {
    expect(judgeReport(said({ result: 1 }), answered(2))).toMatchObject({
      verdict: 'changed',
      verdict_corrected: true,
    });
    const failing = judgeReport(said({ error, failing_as_before: true }), answered(2));
    expect(failing).toMatchObject({ verdict: 'error', verdict_corrected: true, new_error: true });
    expect(failing).not.toHaveProperty('failing_as_before');
    const before = recorded({ error, output: ['approved'], meta: returning() }, 'error');
    const yielded = said({ error, failing_as_before: true, result: ['REJECTED'], meta: returning() });
    expect(judgeReport(yielded, before)).toMatchObject({ verdict: 'error', verdict_corrected: true });
  });

  it('keeps `failing_as_before` for an error that equals the recorded one', () => {
    const failing = said({ error, failing_as_before: true });
    expect(judgeReport(failing, recorded({ error }, 'error'))).toMatchObject(failing);
    expect(judgeReport(said({ result: 1 }), answered(1))).not.toHaveProperty('failing_as_before');
  });

  it('is corrected when a hash shows that the stored values differ', () => {
    const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
    const head = { output: { truncated: { '': { bytes: 3, sha256: sha256('abc') } } } };
    const report = said({ result: 'abd' });
    expect(judgeReport(report, answered('ab…', head), { sha256 })).toMatchObject({ verdict: 'changed' });
    expect(judgeReport(report, answered('ab…', head))).toMatchObject({ verdict: 'same' });
  });

  it('keeps its verdict when the stored values do not show a difference', () => {
    const judged = judgeReport(said({ result: 'head', meta: cut }), answered('head', cut));
    expect(judged).toMatchObject({ verdict: 'same' });
    expect(judged).not.toHaveProperty('verdict_corrected');
  });

  it.each<Partial<TestRunItemReport>>([
    { compared_by: { ignore: ['$.at'] } },
    { compared_by: { same: true } },
    { accepted: true },
  ])('keeps its verdict after another comparison: %j', (how) => {
    expect(judgeReport(said({ result: 1, ...how }), answered(2))).toMatchObject({ verdict: 'same' });
  });

  it('is compared with its own baseline', () => {
    const baseline = { baseline: 'test_run', original_output: 1 } as const;
    expect(judgeReport(said({ result: 1, ...baseline }), answered(2))).toMatchObject({
      verdict: 'same',
      original_output: 1,
    });
    expect(judgeReport(said({ result: 2, ...baseline }), answered(2))).toMatchObject({ verdict: 'changed' });
  });
});

describe('An item compared with the recording that sends its own original', () => {
  const brought: Partial<TestRunItemReport>[] = [
    { original_output: 1 },
    { original_error: error },
    { original_output: 1, original_meta: { output: { replayable: false } } },
    { original_error: error, original_meta: returning(3) },
  ];
  const spans: [string, SpanRecord][] = [
    ['a value', answered(2)],
    ['nothing', recorded({})],
    ['an error', recorded({ error: { ...error, code: 1 } }, 'error')],
    ['an error that was not recorded', recorded({}, 'error')],
    ['a stream', answered([1], returning())],
    ['no end', recorded({}, 'unfinished')],
  ];
  const reports: Partial<TestRunItemReport>[] = [
    { result: 1 },
    { error },
    { result: 1, verdict: 'same' },
    { error, verdict: 'same', failing_as_before: true },
    { error, verdict: 'error' },
    { error, result: [1], meta: returning() },
  ];
  const parts = ['original_output', 'original_error', 'original_meta'] as const;

  it.each(spans)('is compared without it, with a recording of %s', (_, span) => {
    for (const report of reports)
      for (const original of brought) {
        expect(judgeReport(item({ ...report, ...original }), span)).toStrictEqual(
          judgeReport(item(report), span),
        );
      }
  });

  it('is compared without it when there is no recording', () => {
    for (const report of reports)
      for (const original of brought) {
        expect(judgeReport(item({ ...report, ...original }), undefined)).toStrictEqual(
          judgeReport(item(report), undefined),
        );
      }
  });

  it('is compared without it when it names the recording as its baseline', () => {
    const brings = item({ result: 1, baseline: 'recording', original_output: 1 });
    expect(judgeReport(brings, recorded({}))).toMatchObject({ verdict: 'changed' });
  });

  it('has the recorded duration', () => {
    expect(judgeReport(item({ result: 1, original_duration_ms: 1 }), answered(1)).original_duration_ms).toBe(
      1500,
    );
  });

  it.each(spans)('is shown only with the recorded call, which has %s', (_, span) => {
    for (const original of brought) {
      const shown = addRecordedCall(item({ result: 1, ...original }), span);
      const alone = addRecordedCall(item({ result: 1 }), span);
      for (const part of parts) expect(shown[part]).toStrictEqual(alone[part]);
    }
  });
});

describe('Whether an error is new', () => {
  const failing = (rest: Partial<TestRunItemReport> = {}) => item({ verdict: 'error', error, ...rest });

  it.each<[string, TestRunItemReport, SpanRecord | undefined, true | undefined]>([
    ['where the recorded call did not fail', failing(), answered(1), true],
    ['where the recorded call has no end', failing(), recorded({}, 'unfinished'), true],
    ['where there is nothing to compare with', failing(), undefined, true],
    ['where its baseline did not fail', failing({ baseline: 'self', original_output: 1 }), undefined, true],
    ['where the reporter says so', failing({ new_error: true }), recorded({ error }, 'error'), true],
    [
      'where the recorded call failed',
      failing(),
      recorded({ error: { ...error, code: 1 } }, 'error'),
      undefined,
    ],
    ['where its error was not recorded', failing(), recorded({}, 'error'), undefined],
    [
      'where its baseline failed',
      failing({ baseline: 'accepted', original_error: { ...error, code: 1 } }),
      answered(1),
      undefined,
    ],
    [
      'where it did not fail, whatever the reporter says',
      item({ verdict: 'changed', result: 1, new_error: true }),
      answered(2),
      undefined,
    ],
  ])('follows from the stored values: %s', (_, report, original, expected) => {
    expect(judgeReport(report, original).new_error).toBe(expected);
  });
});

it('accepts a verdict that is worse than the stored values', () => {
  expect(judgeReport(item({ verdict: 'changed', result: 1 }), answered(1))).toMatchObject({
    verdict: 'changed',
  });
  expect(judgeReport(item({ verdict: 'unknown', result: 1 }), answered(2))).toMatchObject({
    verdict: 'unknown',
  });
});

it('keeps only the duration of the recorded call, and the reported values', () => {
  expect(judgeReport(item({ verdict: 'same', result: 1 }), answered(1))).toEqual({
    item_no: 0,
    verdict: 'same',
    result: 1,
    original_duration_ms: 1500,
  });
  const brought = { baseline: 'accepted', original_output: 2, original_duration_ms: 3 } as const;
  expect(judgeReport(item({ result: 1, ...brought }), answered(1))).toMatchObject(brought);
});

it('has no fields that neither the item nor the recorded call has', () => {
  expect(judgeReport(item({ verdict: 'same' }), undefined)).toStrictEqual({ item_no: 0, verdict: 'same' });
  expect(addRecordedCall(item({}), recorded({}))).toStrictEqual({ item_no: 0 });
  const noted = recorded({ meta: { input: { types: {} } } });
  expect(addRecordedCall(item({}), noted)).toStrictEqual({ item_no: 0, meta: { input: { types: {} } } });
});

it.each<[SpanRecord['status'], object]>([
  ['ok', {}],
  ['error', {}],
  ['cancelled', { original_status: 'cancelled' }],
  ['unfinished', { original_status: 'unfinished' }],
])('shows of a recorded call that is %s whether it came to its end', (status, shown) => {
  expect(addRecordedCall(item({}), recorded({ error }, status))).toStrictEqual({
    item_no: 0,
    original_error: error,
    ...shown,
  });
});

it('adds the recorded call to the item, except its own arguments and baseline', () => {
  expect(addRecordedCall(item({ result: 1 }), answered(1))).toMatchObject({
    input: ['q'],
    original_output: 1,
  });
  expect(addRecordedCall(item({}), recorded({ error }))).toMatchObject({ original_error: error });
  const noted = answered('head', { ...cut, input: { types: { '/0': 'Date' } } });
  expect(addRecordedCall(item({ meta: { output: { types: {} } } }), noted)).toMatchObject({
    meta: { input: { types: { '/0': 'Date' } }, output: { types: {} } },
    original_meta: cut,
  });
  const own = item({ input: ['mine'], baseline: 'accepted', original_output: 2 });
  expect(addRecordedCall(own, answered(1))).toEqual(own);
});
