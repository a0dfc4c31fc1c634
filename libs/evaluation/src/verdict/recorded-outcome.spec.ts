import { type ErrorRecord, type JsonValue, readValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { judgeOutcome, type Outcome } from './judge-outcome.js';
import {
  readCandidateOutcome,
  pickOutcomeNotes,
  readBaselineOutcome,
  recordedOutcome,
  type StoredOutcome,
} from './recorded-outcome.js';

const error: ErrorRecord = { name: 'Error', message: 'broken' };
const judgeCalls = (before: StoredOutcome, now: StoredOutcome): string =>
  judgeOutcome(recordedOutcome(before), recordedOutcome({ ...now, status: undefined }) as Outcome).verdict;

const undefineds = (count: number): StoredOutcome => ({
  output: [null],
  meta: { output: { types: { '/0': { type: 'undefined', count } } } },
});

describe('The outcome of a stored call', () => {
  it.each<[string, StoredOutcome, StoredOutcome, string]>([
    ['well, with nothing, now too', { status: 'ok' }, {}, 'same'],
    ['with an error that was not recorded, now with nothing', { status: 'error' }, {}, 'changed'],
    ['with an error that was not recorded, now with one', { status: 'error' }, { error }, 'error'],
    [
      'with an error after some items, now with those',
      { status: 'error', output: [1] },
      { output: [1] },
      'changed',
    ],
    ['is not recorded yet, now with nothing', { status: 'unfinished' }, {}, 'unknown'],
    [
      'is not recorded yet, with some items, now with others',
      { status: 'unfinished', output: [1] },
      { output: [2] },
      'unknown',
    ],
    ['is not recorded yet, now with an error', { status: 'unfinished' }, { error }, 'error'],
    ['by being cancelled, now with nothing', { status: 'cancelled' }, {}, 'unknown'],
    [
      'cancelled after some items, now with those',
      { status: 'cancelled', output: [1] },
      { output: [1] },
      'unknown',
    ],
    [
      'cancelled after some items, now with others',
      { status: 'cancelled', output: [1] },
      { output: [2] },
      'changed',
    ],
    ['cut, now with more', { status: 'cancelled', output: [1, 2] }, { output: [1, 2, 3] }, 'unknown'],
    ['cut, now with less', { status: 'cancelled', output: [1, 2] }, { output: [1] }, 'changed'],
    [
      'cut before anything came, now with something',
      { status: 'cancelled', output: [] },
      { output: [1] },
      'unknown',
    ],
    [
      'cut, now with more and another one before',
      { status: 'cancelled', output: [1, 2] },
      { output: [1, 3, 3] },
      'changed',
    ],
    [
      'cut, of another type than now',
      {
        status: 'cancelled',
        output: ['2026-01-31T00:00:00.000Z'],
        meta: { output: { types: { '/0': 'Date' } } },
      },
      { output: ['2026-01-31T00:00:00.000Z', 1] },
      'changed',
    ],
    [
      'cut, with an item that is cut itself',
      {
        status: 'cancelled',
        output: ['ab…'],
        meta: { output: { truncated: { '/0': { bytes: 9 } } } },
      },
      { output: ['abcdefghi', 1] },
      'unknown',
    ],
    ['as a text that is cut', { status: 'cancelled', output: 'Hel' }, { output: 'Hello' }, 'unknown'],
    [
      'as a text that is cut, now another',
      { status: 'cancelled', output: 'Hel' },
      { output: 'Bye' },
      'unknown',
    ],
    ['as a text that is cut, now a list', { status: 'cancelled', output: 'Hel' }, { output: [1] }, 'unknown'],
    ['cut, now a text', { status: 'cancelled', output: [1] }, { output: 'Hello' }, 'unknown'],
    [
      'cut, now shorter, but that is cut by size',
      { status: 'cancelled', output: [1, 2] },
      { output: [1], meta: { output: { truncated: { '': { items: 9, kept: 1 } } } } },
      'unknown',
    ],
    [
      'cut after a run of items that were undefined, now with others',
      { status: 'cancelled', ...undefineds(2) },
      { output: [1, 2] },
      'unknown',
    ],
    [
      'cut, now with a run of items that are undefined',
      { status: 'cancelled', output: [1, 2] },
      undefineds(2),
      'unknown',
    ],
    [
      'cut after an item that was undefined, now with another',
      { status: 'cancelled', ...undefineds(1) },
      { output: [1] },
      'changed',
    ],
    ['cut, now with an error', { status: 'cancelled', output: [1] }, { error }, 'error'],
  ])('%s', (_, before, now, verdict) => {
    expect(judgeCalls(before, now)).toBe(verdict);
  });

  it.each<[string, JsonValue, JsonValue, [before: boolean, now: boolean], string]>([
    ['whole before and cut now, which agrees', [1, 2], [1], [false, true], 'unknown'],
    ['whole before and cut now, which came further', [1], [1, 2], [false, true], 'changed'],
    ['whole before and cut now, which differs', [1, 2], [2], [false, true], 'changed'],
    ['whole before and cut now, which are equal', [1, 2], [1, 2], [false, true], 'unknown'],
    ['cut before and whole now, which are equal', [1, 2], [1, 2], [true, false], 'unknown'],
    ['cut at two places, as far as both go', [1, 2, 3], [1, 2], [true, true], 'unknown'],
    ['cut at two places, and different', [1, 2, 3], [1, 3], [true, true], 'changed'],
    ['cut at one place, and equal', [1, 2], [1, 2], [true, true], 'unknown'],
    ['cut before anything came, on one side', [1, 2], [], [true, true], 'unknown'],
  ])('compares two calls that are %s', (_, before, now, [isCutBefore, isCutNow], verdict) => {
    const makeOutcome = (json: JsonValue, isPartial: boolean): Outcome => ({
      value: readValue({ json }),
      ...(isPartial && { isPartial }),
    });
    expect(judgeOutcome(makeOutcome(before, isCutBefore), makeOutcome(now, isCutNow)).verdict).toBe(verdict);
  });

  it('is unknown for a call that was cancelled before its first item', () => {
    expect(recordedOutcome({ status: 'cancelled' })).toBeUndefined();
  });

  it('excludes ignored paths of partial outputs', () => {
    const stored = recordedOutcome({ status: 'cancelled', output: [{ id: 1, text: 'a' }] });
    const value = readValue({
      json: [
        { id: 2, text: 'a' },
        { id: 3, text: 'b' },
      ],
    });
    expect(judgeOutcome(stored, { value }, { ignore: ['$[*].id'] }).verdict).toBe('unknown');
    expect(judgeOutcome(stored, { value }).verdict).toBe('changed');
  });

  it('is `same` only if both calls ended the same way', () => {
    const call: fc.Arbitrary<StoredOutcome> = fc.record(
      {
        status: fc.constantFrom('ok', 'error', 'cancelled', 'unfinished'),
        output: fc.constantFrom<JsonValue>(null, 0, [], [1]),
        error: fc.constantFrom(error, { ...error, code: 1 }),
      },
      { requiredKeys: ['status'] },
    );
    fc.assert(
      fc.property(call, call, (before, now) => {
        if (judgeCalls(before, now) !== 'same') return;
        const { status } = before;
        expect(before.error).toEqual(now.error);
        if (now.error === undefined) expect([status, before.output]).toEqual(['ok', now.output]);
      }),
    );
  });
});

it('has no fields that an item does not have', () => {
  expect(readBaselineOutcome({})).toStrictEqual({});
  expect(readCandidateOutcome({})).toStrictEqual({});
  expect(pickOutcomeNotes({ input: { types: {} } })).toBeUndefined();
});
