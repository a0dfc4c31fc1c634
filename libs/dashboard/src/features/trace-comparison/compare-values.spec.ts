import type { JsonValue, SpanDetail } from '@dacapo/protocol';
import { compareValues } from './compare-values.js';

const spanWith = (span_data: Partial<SpanDetail['span_data']>): SpanDetail =>
  ({ id: '1', trace_id: '2', span_data }) as SpanDetail;

const gave = (output: JsonValue): SpanDetail => spanWith({ input: ['hi'], output });
const failed = (message: string): SpanDetail =>
  spanWith({ input: ['hi'], error: { name: 'Error', message } });
const cut = spanWith({ input: ['hi'], meta: { output: { replayable: false } } });
describe('the values of two spans', () => {
  it.each([
    ['the same text', gave('a'), gave('a'), 'same'],
    ['other keys first', gave({ a: 1, b: 2 }), gave({ b: 2, a: 1 }), 'same'],
    ['another text', gave('a'), gave('b'), 'different'],
    ['a number and its text', gave(1), gave('1'), 'different'],
    ['the same error', failed('no'), failed('no'), 'same'],
    ['another error', failed('no'), failed('never'), 'different'],
    ['an error and a value', failed('no'), gave('a'), 'different'],
    ['a value and an error', gave('a'), failed('no'), 'different'],
    ['nothing recorded on one side', cut, gave('a'), 'unknown'],
    ['nothing recorded on both', cut, cut, 'unknown'],
    ['nothing returned', spanWith({ input: ['hi'] }), spanWith({ input: ['hi'] }), 'same'],
    ['nothing returned, and null', spanWith({ input: ['hi'] }), gave(null), 'different'],
  ])('%s', (_, left, right, outcome) => {
    expect(compareValues(left, right)).toEqual({ input: 'same', outcome });
    expect(compareValues(right, left)).toEqual({ input: 'same', outcome });
  });

  it('tells other arguments', () => {
    expect(compareValues(gave('a'), spanWith({ input: ['ho'], output: 'a' })).input).toBe('different');
  });
});
