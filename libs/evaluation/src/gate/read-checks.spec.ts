import type { JsonValue } from '@dacapo/protocol';
import { readChecks } from './read-checks.js';

const check = { name: 'changed', limit: '≤ 0', measured: '0 of 4', passed: true, failures: [] };

describe('checks of a stored summary', () => {
  it('are read with their score and minimum', () => {
    const scored = { ...check, name: 'scores.good.min', score: 'good', min: 0.5 };
    expect(readChecks([check, scored])).toEqual([check, scored]);
  });

  it.each<[string, JsonValue | undefined]>([
    ['nothing', undefined],
    ['no list', { 0: check }],
    ['a text', 'changed'],
  ])('are none in %s', (_, stored) => {
    expect(readChecks(stored)).toEqual([]);
  });

  it.each<[string, JsonValue]>([
    ['a check that is no object', 'changed'],
    ['a check that is null', null],
    ['a name that is no text', { ...check, name: 1 }],
    ['a limit that is no text', { ...check, limit: 0 }],
    ['a measured value that is no text', { ...check, measured: 0 }],
    ['a result that is neither true nor false', { ...check, passed: 'true' }],
  ])('leave out %s, and keep their neighbours', (_, damaged) => {
    expect(readChecks([damaged, check])).toEqual([check]);
  });

  it('lose fields that have another type, and nothing else', () => {
    const damaged = { ...check, failures: ['item 1 changed', 2], score: 3, min: '0.5' };
    expect(readChecks([damaged, { ...check, failures: 'item 1 changed' }])).toEqual([
      { ...check, failures: ['item 1 changed'] },
      check,
    ]);
  });
});
