import type { JsonValue, SpanDetail } from '@dacapo/protocol';
import { compareValues } from './compare-values.js';

const spanWith = (span_data: Partial<SpanDetail['span_data']>): SpanDetail =>
  ({ id: '1', trace_id: '2', span_data }) as SpanDetail;

const withOutput = (output: JsonValue): SpanDetail => spanWith({ input: ['hi'], output });
const failed = (message: string): SpanDetail =>
  spanWith({ input: ['hi'], error: { name: 'Error', message } });
const streamed = (items: JsonValue[], message?: string): SpanDetail =>
  spanWith({
    input: ['hi'],
    output: items,
    meta: { stream: { kind: 'generator', items: items.length } },
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
describe('compareValues', () => {
  it.each([
    ['the same text', withOutput('a'), withOutput('a'), 'same'],
    ['a different key order', withOutput({ a: 1, b: 2 }), withOutput({ b: 2, a: 1 }), 'same'],
    ['a different text', withOutput('a'), withOutput('b'), 'different'],
    ['a number and its text', withOutput(1), withOutput('1'), 'different'],
    ['the same error', failed('no'), failed('no'), 'same'],
    ['a different error', failed('no'), failed('never'), 'different'],
    ['an error and a value', failed('no'), withOutput('a'), 'different'],
    ['a value and an error', withOutput('a'), failed('no'), 'different'],
    ['one output that was not recorded', cut, withOutput('a'), 'unknown'],
    ['two outputs that were not recorded', cut, cut, 'unknown'],
    ['`undefined` on both sides', spanWith({ input: ['hi'] }), spanWith({ input: ['hi'] }), 'same'],
    ['`undefined` and `null`', spanWith({ input: ['hi'] }), withOutput(null), 'different'],
    ['the same error after the same items', streamed(['a'], 'no'), streamed(['a'], 'no'), 'same'],
    ['the same error after different items', streamed(['a'], 'no'), streamed(['b'], 'no'), 'different'],
    ['the same error in a stream and a plain call', streamed(['a'], 'no'), failed('no'), 'unknown'],
    ['different return values of generators', returned('a'), returned('b'), 'different'],
    ['a cancelled stream and the whole stream', ended('cancelled', ['a']), withOutput(['a', 'b']), 'unknown'],
    [
      'a cancelled stream with different items',
      ended('cancelled', ['b']),
      withOutput(['a', 'b']),
      'different',
    ],
    ['an unfinished call and a value', ended('unfinished'), withOutput('a'), 'unknown'],
    ['an unfinished call and an error', ended('unfinished'), failed('no'), 'unknown'],
    ['failed calls without recorded errors', ended('error'), ended('error'), 'unknown'],
    [
      'a failed call without its error, and `undefined`',
      ended('error'),
      spanWith({ input: ['hi'] }),
      'different',
    ],
  ])('compares %s', (_, left, right, outcome) => {
    expect(compareValues(left, right)).toEqual({ input: 'same', outcome });
    expect(compareValues(right, left)).toEqual({ input: 'same', outcome });
  });

  it('returns `different` for different arguments', () => {
    expect(compareValues(withOutput('a'), spanWith({ input: ['ho'], output: 'a' })).input).toBe('different');
  });
});
