import type { JsonValue, SpanDetail } from '@dacapo/protocol';
import { compareValues } from './compare-values.js';

const spanWith = (span_data: Partial<SpanDetail['span_data']>): SpanDetail =>
  ({ id: '1', trace_id: '2', span_data }) as SpanDetail;

const gave = (output: JsonValue): SpanDetail => spanWith({ input: ['hi'], output });
const failed = (message: string): SpanDetail =>
  spanWith({ input: ['hi'], error: { name: 'Error', message } });
const streamed = (items: JsonValue[], message?: string): SpanDetail =>
  spanWith({
    ...{ input: ['hi'], output: items, meta: { stream: { kind: 'generator', items: items.length } } },
    ...(message !== undefined && { error: { name: 'Error', message } }),
  });
const returned = (value: JsonValue): SpanDetail =>
  spanWith({
    output: [1],
    input: ['hi'],
    meta: { stream: { kind: 'generator', items: 1, returned: value } },
  });
const ended = (status: SpanDetail['status'], output?: JsonValue): SpanDetail => ({
  ...spanWith({ input: ['hi'], ...(output !== undefined && { output }) }),
  status,
});
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
    ['one error after the same items', streamed(['a'], 'no'), streamed(['a'], 'no'), 'same'],
    ['one error after other items', streamed(['a'], 'no'), streamed(['b'], 'no'), 'different'],
    ['one error, in a stream and not', streamed(['a'], 'no'), failed('no'), 'unknown'],
    ['other values that generators returned', returned('a'), returned('b'), 'different'],
    ['what was cancelled, and the whole', ended('cancelled', ['a']), gave(['a', 'b']), 'unknown'],
    ['what was cancelled after other items', ended('cancelled', ['b']), gave(['a', 'b']), 'different'],
    ['a call without an end, and a value', ended('unfinished'), gave('a'), 'unknown'],
    ['a call without an end, and an error', ended('unfinished'), failed('no'), 'unknown'],
    ['failed calls whose errors are not there', ended('error'), ended('error'), 'unknown'],
    [
      'a failed call without its error, and nothing',
      ended('error'),
      spanWith({ input: ['hi'] }),
      'different',
    ],
  ])('%s', (_, left, right, outcome) => {
    expect(compareValues(left, right)).toEqual({ input: 'same', outcome });
    expect(compareValues(right, left)).toEqual({ input: 'same', outcome });
  });

  it('tells other arguments', () => {
    expect(compareValues(gave('a'), spanWith({ input: ['ho'], output: 'a' })).input).toBe('different');
  });
});
