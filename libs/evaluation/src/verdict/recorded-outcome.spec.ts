import type { ErrorRecord, JsonValue } from '@dacapo/protocol';
import fc from 'fast-check';
import { judgeOutcome, type Outcome } from './judge-outcome.js';
import { recordedOutcome, type StoredOutcome } from './recorded-outcome.js';

const error: ErrorRecord = { name: 'Error', message: 'broken' };
const verdictOf = (before: StoredOutcome, now: StoredOutcome): string =>
  judgeOutcome(recordedOutcome(before), recordedOutcome({ ...now, status: undefined }) as Outcome).verdict;

describe('how a stored call ended', () => {
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
  ])('%s', (_, before, now, verdict) => {
    expect(verdictOf(before, now)).toBe(verdict);
  });

  it('is the same as now only where it ended, and the same way', () => {
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
        if (verdictOf(before, now) !== 'same') return;
        const { status } = before;
        expect(before.error).toEqual(now.error);
        if (now.error === undefined) expect([status, before.output]).toEqual(['ok', now.output]);
      }),
    );
  });
});
