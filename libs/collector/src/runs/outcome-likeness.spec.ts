import type { JsonValue, TestRunItemRecord } from '@dacapo/protocol';
import { compareItems, type Likeness } from './outcome-likeness.js';

type ItemFields = Partial<TestRunItemRecord>;

const record = (fields: ItemFields): TestRunItemRecord => ({ item_no: 0, verdict: 'same', ...fields });
const failed = (message: string): ItemFields => ({ verdict: 'error', error: { name: 'E', message } });
const cut = (sha256?: string): ItemFields => ({
  result: 'ab…',
  meta: { output: { truncated: { '': { bytes: 9, ...(sha256 !== undefined && { sha256 }) } } } },
});
const ignoring = (result: JsonValue, ...ignore: string[]): ItemFields => ({
  result,
  compared_by: { ignore },
});
const returning = (returned?: JsonValue): ItemFields => ({
  result: ['a'],
  meta: { stream: { kind: 'generator', items: 1, ...(returned !== undefined && { returned }) } },
});

describe('compareItems', () => {
  it.each<[string, ItemFields, ItemFields, Likeness]>([
    ['equal outputs', { result: { a: 1 } }, { result: { a: 1 } }, 'same'],
    ['equal outputs with different verdicts', { result: 1, verdict: 'changed' }, { result: 1 }, 'same'],
    [
      'equal outputs with different baselines',
      { result: 1, original_output: 1 },
      { result: 1, original_output: 2 },
      'same',
    ],
    ['different outputs with the same verdict', { result: 1 }, { result: 2 }, 'different'],
    [
      'a date and its text',
      { result: '1970-01-01T00:00:00.000Z', meta: { output: { types: { '': 'Date' } } } },
      { result: '1970-01-01T00:00:00.000Z' },
      'different',
    ],
    ['two missing outputs', {}, {}, 'same'],
    ['a missing output and null', {}, { result: null }, 'different'],
    ['an output and an error', { result: 1 }, failed('no'), 'different'],
    ['an error and an output', failed('no'), { result: 1 }, 'different'],
    ['equal errors', failed('no'), failed('no'), 'same'],
    ['different errors', failed('no'), failed('never'), 'different'],
    ['a call that could not be made twice', { ...failed('gone'), error_of: 'play' }, failed('gone'), 'same'],
    ['generators with equal return values', returning(1), returning(1), 'same'],
    ['generators with different return values', returning(1), returning(2), 'different'],
    ['generators with and without a return value', returning(1), returning(), 'different'],
    ['a generator without a recorded return value', returning(1), { result: ['a'] }, 'unknown'],
    [
      'an item with a failed evaluator',
      { ...failed('evaluator'), error_of: 'judgement' },
      { result: 1 },
      'unknown',
    ],
    ['an erased outcome', { erased: true }, {}, 'unknown'],
    ['two erased outcomes', { erased: true }, { erased: true }, 'unknown'],
    ['cut outputs without hashes', cut(), cut(), 'unknown'],
    ['cut outputs with the same hash', cut('x'), cut('x'), 'same'],
    ['cut outputs with different hashes', cut('x'), cut('y'), 'different'],
    ['an output that was not recorded', { meta: { output: { replayable: false } } }, {}, 'unknown'],
    ['a path that both ignore', ignoring({ id: 1 }, '$.id'), ignoring({ id: 2 }, '$.id'), 'same'],
    ['a path that one ignores', ignoring({ id: 1 }, '$.id'), ignoring({ id: 2 }, '$.n'), 'different'],
    [
      'a difference outside the ignored path',
      ignoring({ n: 1 }, '$.id'),
      ignoring({ n: 2 }, '$.id'),
      'different',
    ],
    ['an invalid path', ignoring({ n: 1 }, 'n'), ignoring({ n: 2 }, 'n'), 'unknown'],
  ])('compares %s', (_, here, there, expected) => {
    expect(compareItems(record(here), record(there))).toBe(expected);
    expect(compareItems(record(there), record(here))).toBe(expected);
  });
});
