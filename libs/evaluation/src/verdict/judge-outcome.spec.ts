import { createHash } from 'node:crypto';
import { equal, type ErrorRecord, type JsonValue, readValue, type RecordedValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { toNode } from '../values/live-node.js';
import { judgeOutcome, type Judgement, type Outcome, type OutcomeOptions } from './judge-outcome.js';

const value = (json: unknown): Outcome => ({ value: toNode(json) });
const stored = (json: JsonValue, meta?: RecordedValue['meta']): Outcome => ({
  value: readValue({ json, meta }),
});
const failed = (message: string, more: Partial<ErrorRecord> = {}): Outcome => ({
  error: { name: 'Error', message, stack: `Error: ${message}\n    at ${Math.random()}`, ...more },
});
const judgeWithoutDiff = (
  before: Outcome,
  now: Outcome,
  options?: OutcomeOptions,
): Omit<Judgement, 'diff'> => {
  const { diff, ...rest } = judgeOutcome(before, now, options);
  if (rest.verdict === 'same') expect(diff).toBeUndefined();
  return rest;
};

describe('The verdict of two values', () => {
  it.each<[string, Outcome, Outcome, string]>([
    ['equal values', value({ a: [1] }), value({ a: [1] }), 'same'],
    ['another order of keys', value({ a: 1, b: 2 }), value({ b: 2, a: 1 }), 'same'],
    ['other values', value({ a: 1 }), value({ a: 2 }), 'changed'],
    ['a date that is now its text', value(new Date(0)), value(new Date(0).toISOString()), 'changed'],
    ['a Map that is now a list', value(new Map([[1, 2]])), value([[1, 2]]), 'changed'],
    ['a bigint that is now its digits', value(5n), value('5'), 'changed'],
    ['nothing given, twice', value(undefined), value(undefined), 'same'],
    ['nothing given, now null', value(undefined), value(null), 'changed'],
    ['noise of a float', value(0.3), value(0.1 + 0.2), 'changed'],
    ['a function', value([() => 1]), value([() => 1]), 'unknown'],
    [
      'what was cut without a hash',
      stored('ab…', { truncated: { '': { bytes: 9 } } }),
      stored('ab…', { truncated: { '': { bytes: 9 } } }),
      'unknown',
    ],
    [
      'what was cut, and its hash differs',
      stored('ab…', { truncated: { '': { bytes: 9, sha256: 'x' } } }),
      stored('ab…', { truncated: { '': { bytes: 9, sha256: 'y' } } }),
      'changed',
    ],
    [
      'what was cut, and its hash is the same',
      stored('ab…', { truncated: { '': { bytes: 9, sha256: 'x' } } }),
      stored('ab…', { truncated: { '': { bytes: 9, sha256: 'x' } } }),
      'same',
    ],
  ])('of %s', (_, before, now, verdict) => {
    expect(judgeWithoutDiff(before, now)).toEqual({ verdict });
  });

  it('lists the differing paths', () => {
    expect(judgeOutcome(value({ a: new Date(0) }), value({ a: 5 }))).toMatchObject({
      verdict: 'changed',
      diff: [{ path: '$.a', kind: 'type', before: { type: 'Date' }, now: { type: 'number' } }],
    });
    expect(judgeOutcome(value({ f: () => 1 }), value({ f: () => 1 }))).toMatchObject({
      verdict: 'unknown',
      diff: [{ path: '$.f', kind: 'unknown' }],
    });
  });

  it('is `same` exactly when the values are equal', () => {
    const values = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      maxDepth: 2,
    });
    fc.assert(
      fc.property(values, values, fc.boolean(), (before, other, isClone) => {
        const now = isClone ? structuredClone(before) : other;
        const { verdict, diff } = judgeOutcome(value(before), value(now));
        const equality = equal(toNode(before), toNode(now));
        expect(verdict).toBe({ equal: 'same', different: 'changed', unknown: 'unknown' }[equality]);
        expect(diff === undefined).toBe(verdict === 'same');
      }),
    );
  });

  it('uses hashes and salts like equality', () => {
    const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
    const cut = stored('ab…', { truncated: { '': { bytes: 3, sha256: sha256('abc') } } });
    expect(judgeWithoutDiff(cut, value('abc'), { sha256 })).toEqual({ verdict: 'same' });
    expect(judgeWithoutDiff(cut, value('abd'), { sha256 })).toEqual({ verdict: 'changed' });
    expect(judgeWithoutDiff(cut, value('abc'))).toEqual({ verdict: 'unknown' });
    const masked = (digit: string): Outcome => stored(`[redacted:${digit.repeat(12)}]`, { redacted: [''] });
    expect(judgeWithoutDiff(masked('a'), masked('b'))).toEqual({ verdict: 'unknown' });
    expect(judgeWithoutDiff(masked('a'), masked('b'), { sameSalt: true })).toEqual({ verdict: 'changed' });
  });
});

describe('Ignored paths', () => {
  it('affect neither verdict nor differences', () => {
    const before = value({ id: 1, items: [{ id: 1, n: 1 }] });
    const now = value({ id: 2, items: [{ id: 2, n: 1 }] });
    expect(judgeWithoutDiff(before, now, { ignore: ['$..id'] })).toEqual({ verdict: 'same' });
    const { verdict, diff } = judgeOutcome(before, now, { ignore: ['$.id'] });
    expect([verdict, diff?.map(({ path }) => path)]).toEqual(['changed', ['$.items[0].id']]);
    expect(() => judgeOutcome(before, now, { ignore: ['id'] })).toThrow('ignore has the invalid path');
  });

  it('keep a hash as proof of equality only', () => {
    const list = (sha256: string): Outcome =>
      stored([1], { truncated: { '': { items: 9, kept: 1, sha256 } } });
    expect(judgeWithoutDiff(list('x'), list('x'), { ignore: ['$[*].id'] })).toEqual({ verdict: 'same' });
    expect(judgeWithoutDiff(list('x'), list('y'), { ignore: ['$[*].id'] })).toEqual({ verdict: 'unknown' });
  });
});

describe('A custom `same`', () => {
  it('replaces equality', () => {
    expect(judgeWithoutDiff(value('A'), value('a'), { same: () => true })).toEqual({ verdict: 'same' });
    expect(judgeOutcome(value({ a: 1 }), value({ a: 2 }), { same: () => false })).toMatchObject({
      verdict: 'changed',
      diff: [{ path: '$.a' }],
    });
    expect(judgeOutcome(value('a'), value('a'), { same: () => false })).toEqual({
      verdict: 'changed',
      diff: [],
    });
  });

  it('is not called for errors, and its own errors are rethrown', () => {
    const same = (): boolean => {
      throw new Error('cannot compare');
    };
    expect(judgeWithoutDiff(value('a'), failed('no'), { same })).toEqual({
      verdict: 'error',
      newError: true,
    });
    expect(judgeWithoutDiff(failed('no'), value('a'), { same })).toEqual({ verdict: 'changed', fixed: true });
    expect(() => judgeOutcome(value('a'), value('a'), { same })).toThrow('cannot compare');
  });
});

const twice = (outcome: Outcome): [Outcome, Outcome] => [outcome, outcome];

describe('The verdict of errors', () => {
  it.each<[string, Outcome, Outcome, object]>([
    ['a new one', value(1), failed('a'), { verdict: 'error', newError: true }],
    ['one that is gone', failed('a'), value(1), { verdict: 'changed', fixed: true }],
    ['the same', failed('a'), failed('a'), { verdict: 'same', failingAsBefore: true }],
    ['another message', failed('a'), failed('b'), { verdict: 'error' }],
    ['another class', failed('a'), failed('a', { name: 'TypeError' }), { verdict: 'error' }],
    ['what is cut on one side', failed('a'), failed('a', { cut: true }), { verdict: 'unknown' }],
    [
      'a cut cause',
      ...twice(failed('a', { cause: { name: 'E', message: 'b', cut: true } })),
      { verdict: 'unknown' },
    ],
    [
      'a cut member',
      ...twice(failed('a', { errors: [{ name: 'E', message: 'b', cut: true }] })),
      { verdict: 'unknown' },
    ],
    [
      'what is cut, and differs',
      failed('a', { cut: true }),
      failed('b', { cut: true }),
      { verdict: 'error' },
    ],
    ['another code', failed('a', { code: 1 }), failed('a', { code: 2 }), { verdict: 'error' }],
    ['a code of another type', failed('a', { code: 1 }), failed('a', { code: '1' }), { verdict: 'error' }],
    [
      'the same causes with other stacks',
      failed('a', {
        cause: { name: 'E', message: 'b', stack: 'x' },
        errors: [{ name: 'F', message: 'c', stack: 'x' }],
      }),
      failed('a', {
        cause: { name: 'E', message: 'b', stack: 'y' },
        errors: [{ name: 'F', message: 'c', stack: 'y' }],
      }),
      { verdict: 'same', failingAsBefore: true },
    ],
    [
      'another cause',
      failed('a', { cause: { name: 'E', message: 'b' } }),
      failed('a', { cause: { name: 'E', message: 'c' } }),
      { verdict: 'error' },
    ],
    [
      'other errors gathered',
      failed('a', { errors: [{ name: 'E', message: 'b' }] }),
      failed('a', { errors: [] }),
      { verdict: 'error' },
    ],
  ])('of %s', (_, before, now, judgement) => {
    expect(judgeWithoutDiff(before, now)).toEqual(judgement);
  });

  it('lists where two errors differ', () => {
    expect(judgeOutcome(failed('a'), failed('b'))).toMatchObject({
      diff: [{ path: '$error.message', before: { text: '"a"' }, now: { text: '"b"' } }],
    });
    expect(judgeOutcome(value(1), failed('b'))).toEqual({ verdict: 'error', newError: true });
  });
});

describe('An accepted outcome', () => {
  it('replaces the recorded one', () => {
    const accepted = value('new');
    expect(judgeWithoutDiff(value('old'), value('new'), { accepted })).toEqual({
      verdict: 'same',
      accepted: true,
    });
    expect(judgeWithoutDiff(value('new'), value('new'), { accepted })).toEqual({ verdict: 'same' });
    expect(judgeWithoutDiff(value('old'), value('old'), { accepted })).toEqual({ verdict: 'changed' });
    expect(judgeWithoutDiff(value('old'), value('other'), { accepted })).toEqual({ verdict: 'changed' });
    expect(judgeOutcome(value('old'), value('other'), { accepted })).toMatchObject({
      verdict: 'changed',
      diff: [{ before: { text: '"new"' }, now: { text: '"other"' } }],
    });
  });

  it('may be an error, and may replace one', () => {
    const refusal = failed('refused');
    expect(judgeWithoutDiff(value('old'), failed('refused'), { accepted: refusal })).toEqual({
      verdict: 'same',
      failingAsBefore: true,
      accepted: true,
    });
    expect(judgeWithoutDiff(refusal, value('new'), { accepted: value('new') })).toEqual({
      verdict: 'same',
      accepted: true,
    });
    expect(judgeWithoutDiff(refusal, refusal, { accepted: value('new') })).toEqual({
      verdict: 'error',
      newError: true,
    });
  });

  it('is compared with the same paths ignored', () => {
    const options = { accepted: value({ id: 1, n: 2 }), ignore: ['$.id'] };
    expect(judgeWithoutDiff(value({ id: 5, n: 1 }), value({ id: 9, n: 2 }), options)).toEqual({
      verdict: 'same',
      accepted: true,
    });
  });
});
