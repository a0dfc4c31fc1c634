import type { SpanRecord, TestRunItemReport } from '@dacapo/protocol';
import { compareWithOriginal } from './judge.js';

const error = { name: 'E', message: 'm' };
const verdictOf = (original: SpanRecord['span_data'], report: Partial<TestRunItemReport>): string =>
  compareWithOriginal({ item_no: 0, source_trace_id: 't', source_span_id: 's', ...report }, {
    span_data: original,
  } as SpanRecord).verdict;

describe('the verdict on a replayed call', () => {
  it.each([
    ['same', 'equal outputs, keys in any order', { output: { a: 1, b: [2] } }, { result: { b: [2], a: 1 } }],
    ['same', 'no output in both', {}, {}],
    ['changed', 'another output', { output: 1 }, { result: 2 }],
    ['changed', 'null where nothing was', {}, { result: null }],
    [
      'changed',
      'the text of a Date where the Date was',
      { output: '1970-01-01T00:00:00.000Z', meta: { output: { types: { '': 'Date' as const } } } },
      { result: '1970-01-01T00:00:00.000Z' },
    ],
    [
      'changed',
      'what was cut without a hash of the whole',
      { output: ['x…'], meta: { output: { truncated: { '/0': { bytes: 9, kept: 1 } } } } },
      { result: ['x…'], meta: { output: { truncated: { '/0': { bytes: 9, kept: 1 } } } } },
    ],
    [
      'same',
      'what was cut with the same hash of the whole',
      { output: ['x…'], meta: { output: { truncated: { '/0': { bytes: 9, kept: 1, sha256: 'a' } } } } },
      { result: ['x…'], meta: { output: { truncated: { '/0': { bytes: 9, kept: 1, sha256: 'a' } } } } },
    ],
    ['changed', 'a value where an error was', { error }, { result: 1 }],
    ['error', 'an error where a value was', { output: 1 }, { error }],
    ['error', 'an error in both', { error }, { error }],
  ])('is %s for %s', (verdict, _, original, report) => {
    expect(verdictOf(original, report)).toBe(verdict);
  });
});
