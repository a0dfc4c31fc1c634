import type { JsonValue, TestRunItemRecord } from '@dacapo/protocol';
import { likenessOf, type Likeness } from './outcome-likeness.js';

type Given = Partial<TestRunItemRecord>;

const record = (given: Given): TestRunItemRecord => ({ item_no: 0, verdict: 'same', ...given });
const failed = (message: string): Given => ({ verdict: 'error', error: { name: 'E', message } });
const cut = (sha256?: string): Given => ({
  result: 'ab…',
  meta: { output: { truncated: { '': { bytes: 9, ...(sha256 !== undefined && { sha256 }) } } } },
});
const ignoring = (result: JsonValue, ...ignore: string[]): Given => ({
  result,
  compared_by: { ignore },
});
const returning = (returned?: JsonValue): Given => ({
  result: ['a'],
  meta: { stream: { kind: 'generator', items: 1, ...(returned !== undefined && { returned }) } },
});

describe('likenessOf', () => {
  it.each<[string, Given, Given, Likeness]>([
    ['equal outputs', { result: { a: 1 } }, { result: { a: 1 } }, 'same'],
    ['equal outputs of other verdicts', { result: 1, verdict: 'changed' }, { result: 1 }, 'same'],
    [
      'equal outputs of other baselines',
      { result: 1, original_output: 1 },
      { result: 1, original_output: 2 },
      'same',
    ],
    ['other outputs of one verdict', { result: 1 }, { result: 2 }, 'different'],
    [
      'a date and its text',
      { result: '1970-01-01T00:00:00.000Z', meta: { output: { types: { '': 'Date' } } } },
      { result: '1970-01-01T00:00:00.000Z' },
      'different',
    ],
    ['nothing returned by both', {}, {}, 'same'],
    ['nothing returned, and null', {}, { result: null }, 'different'],
    ['an output and an error', { result: 1 }, failed('no'), 'different'],
    ['an error and an output', failed('no'), { result: 1 }, 'different'],
    ['one error', failed('no'), failed('no'), 'same'],
    ['two errors', failed('no'), failed('never'), 'different'],
    ['a call that could not be made twice', { ...failed('gone'), error_of: 'play' }, failed('gone'), 'same'],
    ['generators that returned the same', returning(1), returning(1), 'same'],
    ['generators that returned something else', returning(1), returning(2), 'different'],
    ['a generator that returned nothing', returning(1), returning(), 'different'],
    ['a generator of which it is not told', returning(1), { result: ['a'] }, 'unknown'],
    ['what could not be judged', { ...failed('evaluator'), error_of: 'judgement' }, { result: 1 }, 'unknown'],
    ['what was erased', { erased: true }, {}, 'unknown'],
    ['what was erased in both', { erased: true }, { erased: true }, 'unknown'],
    ['what was cut', cut(), cut(), 'unknown'],
    ['what was cut, and a hash says that it is the same', cut('x'), cut('x'), 'same'],
    ['what was cut, and a hash says that it differs', cut('x'), cut('y'), 'different'],
    ['what was not kept', { meta: { output: { replayable: false } } }, {}, 'unknown'],
    ['a path that both ignore', ignoring({ id: 1 }, '$.id'), ignoring({ id: 2 }, '$.id'), 'same'],
    ['a path that one ignores', ignoring({ id: 1 }, '$.id'), ignoring({ id: 2 }, '$.n'), 'different'],
    ['another path than is ignored', ignoring({ n: 1 }, '$.id'), ignoring({ n: 2 }, '$.id'), 'different'],
    ['a path that cannot be read', ignoring({ n: 1 }, 'n'), ignoring({ n: 2 }, 'n'), 'unknown'],
  ])('of %s', (_, here, there, expected) => {
    expect(likenessOf(record(here), record(there))).toBe(expected);
    expect(likenessOf(record(there), record(here))).toBe(expected);
  });
});
