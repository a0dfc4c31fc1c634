import { createHash } from 'node:crypto';
import type { ErrorRecord, FieldMeta, JsonValue, RecordedStream } from '@dacapo/protocol';
import type { Judgement } from './judge-outcome.js';
import { judgeStored, type StoredOutcomeOptions } from './judge-stored.js';
import type { StoredOutcome } from './recorded-outcome.js';

const error: ErrorRecord = { name: 'Error', message: 'broken' };
const otherError: ErrorRecord = { name: 'Error', message: 'down' };

/** A failed stream as the recorder writes it. */
const failed = (output: JsonValue[], failure: ErrorRecord = error): StoredOutcome => ({
  error: failure,
  output,
  meta: { stream: { kind: 'generator', items: output.length } },
});
/** A failed stream whose output is not recorded. */
const withheld = (items: number): StoredOutcome => ({
  error,
  meta: { output: { replayable: false }, stream: { kind: 'generator', items } },
});
const mapped = (output: JsonValue, items: number): StoredOutcome => ({
  error,
  output,
  meta: { output: { replayable: false }, stream: { kind: 'generator', items } },
});
const cut: FieldMeta = { truncated: { '': { items: 9 } }, replayable: false };

const judge = (
  before: StoredOutcome | undefined,
  now: StoredOutcome,
  options: StoredOutcomeOptions = {},
): Omit<Judgement, 'diff'> & { paths?: string[] } => {
  const { diff, ...judgement } = judgeStored(before, now, options);
  return { ...judgement, ...(diff && { paths: diff.map(({ path }) => path) }) };
};

describe('Two streams that failed', () => {
  const same = { verdict: 'same', failingAsBefore: true };

  it.each<[string, StoredOutcome, StoredOutcome, object]>([
    ['after the same items', failed(['a', 'b']), failed(['a', 'b']), same],
    ['before any item', failed([]), failed([]), same],
    ['after another item', failed(['approved']), failed(['REJECTED']), { verdict: 'error', paths: ['$[0]'] }],
    ['after one item more', failed([1]), failed([1, 2]), { verdict: 'error', paths: ['$[1]'] }],
    ['after one item fewer', failed([1, 2]), failed([1]), { verdict: 'error', paths: ['$[1]'] }],
    ['after items where there were none', failed([]), failed([1]), { verdict: 'error', paths: ['$[0]'] }],
    [
      'with another error',
      failed([1]),
      failed([1], otherError),
      { verdict: 'error', paths: ['$error.message'] },
    ],
    [
      'after an item of another type',
      failed(['1970-01-01T00:00:00.005Z']),
      {
        ...failed(['1970-01-01T00:00:00.005Z']),
        meta: { output: { types: { '/0': 'Date' } }, stream: { kind: 'generator', items: 1 } },
      },
      { verdict: 'error', paths: ['$[0]'] },
    ],
    ['after items that were not recorded', withheld(2), withheld(2), { verdict: 'unknown', paths: ['$'] }],
    ['before any item, which are not recorded', withheld(0), withheld(0), same],
    [
      'after items that one side does not record',
      failed([1]),
      withheld(1),
      { verdict: 'unknown', paths: ['$'] },
    ],
    [
      'after items that were cut',
      { ...failed([1]), meta: { output: cut, stream: { kind: 'g', items: 9 } } },
      { ...failed([1]), meta: { output: cut, stream: { kind: 'g', items: 9 } } },
      { verdict: 'unknown', paths: ['$'] },
    ],
    ['after items that captureOutput maps alike', mapped('a', 1), mapped('a', 2), same],
    [
      'after items that captureOutput maps otherwise',
      mapped('a', 1),
      mapped('b', 1),
      { verdict: 'error', paths: ['$'] },
    ],
    ['one without notes on its items', { error }, failed([1]), { verdict: 'unknown' }],
    ['now without notes on its items', failed([1]), { error }, { verdict: 'unknown' }],
    [
      'one without notes on its items, of which there are none',
      { error },
      failed([]),
      { verdict: 'unknown' },
    ],
    [
      'one with items that are not there',
      { error, meta: { stream: { kind: 'g', items: 1 } } },
      failed([1]),
      { verdict: 'unknown', paths: ['$'] },
    ],
    ['one of which withholds that it yielded nothing', failed([]), withheld(0), same],
    [
      'one of which says that nothing came',
      { error, meta: { stream: { kind: 'g', items: 0 } } },
      failed([1]),
      { verdict: 'error', paths: ['$[0]'] },
    ],
    [
      'one of which withholds what its output was',
      withheld(0),
      failed([1]),
      { verdict: 'unknown', paths: ['$'] },
    ],
    [
      'before any item, of which captureOutput makes other texts',
      mapped('a', 0),
      mapped('b', 0),
      { verdict: 'error', paths: ['$'] },
    ],
    [
      'before any item, of which captureOutput makes other lists',
      mapped([1], 0),
      mapped([2], 0),
      { verdict: 'error', paths: ['$[0]'] },
    ],
    [
      'after another item, without notes',
      { error, output: ['a'] },
      { error, output: ['b'] },
      { verdict: 'error', paths: ['$[0]'] },
    ],
    [
      'after an item where there was none, without notes',
      { error, output: [] },
      { error, output: ['b'] },
      { verdict: 'error', paths: ['$[0]'] },
    ],
    ['neither of which is a stream', { error }, { error }, same],
    [
      'one with an unreadable note',
      { error, meta: { stream: null as unknown as RecordedStream } },
      { error },
      { verdict: 'unknown' },
    ],
  ])('%s', (_, before, now, expected) => {
    expect(judge(before, now)).toEqual(expected);
  });

  it('are `unknown` when their errors are, unless their items differ', () => {
    const long: ErrorRecord = { ...error, cut: true };
    expect(judge(failed([1], long), failed([1], long))).toEqual({ verdict: 'unknown' });
    expect(judge(failed([1], long), failed([2], long))).toEqual({ verdict: 'error', paths: ['$[0]'] });
  });

  it('may differ at ignored paths of their items', () => {
    const [one, other] = [failed([{ id: 1, text: 'a' }]), failed([{ id: 2, text: 'a' }])];
    expect(judge(one, other, { ignore: ['$[*].id'] })).toEqual(same);
    expect(judge(one, other, { ignore: ['$[*].text'] })).toEqual({ verdict: 'error', paths: ['$[0].id'] });
  });

  it("are compared by the caller's function", () => {
    expect(judge(failed([1]), failed([2]), { same: () => true })).toEqual(same);
    expect(judge(failed([1]), failed([1]), { same: () => false })).toMatchObject({ verdict: 'error' });
    expect(judge({ error }, { error }, { same: () => false })).toEqual(same);
  });
});

describe('A new error', () => {
  const newError = { verdict: 'error', newError: true };

  it.each<[string, StoredOutcome | undefined]>([
    ['there was a value', { output: 1 }],
    ['there was nothing', {}],
    ['a stream ended well', { output: [1], meta: { stream: { kind: 'generator', items: 1 } } }],
    ['the call was cancelled', { status: 'cancelled', output: [1] }],
    ['the call has no end', { status: 'unfinished' }],
    ['there is no outcome', undefined],
  ])('is new when %s', (_, before) => {
    expect(judge(before, { error })).toEqual(newError);
    expect(judge(before, failed([1]))).toEqual(newError);
  });

  it.each<[string, StoredOutcome]>([
    ['with another error', { error: otherError }],
    ['after other items', failed([2])],
    ['with an error that was not recorded', { status: 'error' }],
  ])('is not new when the call failed before, %s', (_, before) => {
    const judgement = judge(before, failed([1]));
    expect(judgement.verdict).not.toBe('same');
    expect(judgement.newError).toBeUndefined();
  });
});

describe('The return values of two generators', () => {
  const gave = (returned?: JsonValue): StoredOutcome => ({
    output: [1],
    meta: { stream: { kind: 'generator', items: 1, ...(returned !== undefined && { returned }) } },
  });

  it.each<[string, StoredOutcome, StoredOutcome, string]>([
    ['the same', gave(4), gave(4), 'same'],
    ['nothing', gave(), gave(), 'same'],
    ['something else', gave(4), gave(5), 'changed'],
    ['nothing now', gave(4), gave(), 'changed'],
    ['something now', gave(), gave(4), 'changed'],
    ['something, where one does not say', { output: [1] }, gave(4), 'unknown'],
    ['nothing, where one does not say', { output: [1] }, gave(), 'same'],
    ['something else after an item that differs', gave(4), { ...gave(5), output: [2] }, 'changed'],
  ])('%s', (_, before, now, verdict) => {
    expect(judge(before, now).verdict).toBe(verdict);
  });

  it('are ignored for an expectation without one', () => {
    expect(judge({ output: [1] }, gave(4), { isExpectation: true }).verdict).toBe('same');
    expect(judge(gave(5), gave(4), { isExpectation: true }).verdict).toBe('changed');
  });

  it('are ignored with a custom comparison, or when one was cancelled', () => {
    let calls = 0;
    const same = (): boolean => ++calls > 0;
    expect(judge(gave(4), gave(5), { same }).verdict).toBe('same');
    expect(calls).toBe(1);
    expect(judge({ ...gave(), status: 'cancelled' }, gave(5)).verdict).toBe('unknown');
    expect(judge(gave(4), { ...gave(5), status: 'cancelled' }).verdict).toBe('unknown');
  });

  it('are compared by hash when cut, and are unknown without one', () => {
    const returned = (json: JsonValue | undefined, meta?: FieldMeta): StoredOutcome => ({
      output: [1],
      meta: {
        stream: {
          kind: 'generator',
          items: 1,
          ...(json !== undefined && { returned: json }),
          ...(meta && { returned_meta: meta }),
        },
      },
    });
    const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
    const head = returned('ab…', { truncated: { '': { bytes: 3, sha256: sha256('abc') } } });
    expect(judge(head, returned('abc'), { sha256 }).verdict).toBe('same');
    expect(judge(head, returned('abc')).verdict).toBe('unknown');
    const withheldReturn = returned(undefined, { replayable: false });
    expect(judge(withheldReturn, withheldReturn).verdict).toBe('unknown');
  });
});

it('is unknown while the new call is unfinished', () => {
  expect(judge({ output: 1 }, { status: 'unfinished' })).toEqual({ verdict: 'unknown' });
});
