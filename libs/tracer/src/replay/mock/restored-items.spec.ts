import type { RecordedCall } from '@dacapo/protocol';
import { restoreOutcome, type RestoredOutcome } from './restore-outcome.js';

const outcome = (changes: object, codecs: Parameters<typeof restoreOutcome>[1] = []): RestoredOutcome => {
  const call = {
    trace_id: 't',
    span_id: 's',
    name: 'n',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    ...changes,
  } as RecordedCall;
  return restoreOutcome(call, codecs, (reason) => {
    throw new Error(reason);
  });
};
const settle = (found: RestoredOutcome): unknown => {
  if ('reason' in found) throw new Error(found.reason);
  return found.give(() => Promise.resolve());
};

describe('the outcome of a recorded call', () => {
  it('is undefined when no output is recorded and nothing was dropped', () => {
    expect(settle(outcome({}))).toBeUndefined();
  });

  it('is an empty stream when it yielded no items', () => {
    const generator = settle(outcome({ meta: { stream: { kind: 'generator', items: 0 } } })) as Generator;
    expect(generator.next()).toEqual({ value: undefined, done: true });
  });

  it('is its output when the note of a stream has no kind', () => {
    expect(settle(outcome({ output: 5, meta: { stream: { kind: 5 } } }))).toBe(5);
  });

  it('is a stream that ends well where it ended well', () => {
    const stream = { kind: 'generator', items: 1 };
    const error = { name: 'Error', message: 'of a child' };
    const generator = settle(outcome({ output: [1], error, meta: { stream } })) as Generator;
    expect([...generator]).toEqual([1]);
  });
});

describe('no outcome', () => {
  it('is there when the return value of a stream was cut', () => {
    const returned_meta = { truncated: { '': { type: 'string', length: 9 } } };
    const stream = { kind: 'generator', items: 1, returned: 'x', returned_meta };
    expect(outcome({ output: [1], meta: { stream } })).toMatchObject({
      reason: 'what its generator returned at its end cannot be rebuilt',
    });
  });

  const date = 'Date';
  const codec = { type: 'codec', name: 'Money' };
  const dollars = {
    name: 'Dollars',
    recognise: () => false,
    encode: () => 0,
    decode: () => ({}),
  };

  it('is there when a codec is missing, whatever else the output contains', () => {
    const output = { at: '2026-01-31T12:00:00.000Z', cost: 7 };
    const meta = { output: { types: { '/at': date, '/cost': codec } } };
    const missing = {
      reason: 'its output was encoded by the codec "Money", which is missing from capture.codecs',
      cure: 'Add it to capture.codecs',
    };
    expect(outcome({ output, meta })).toEqual(missing);
    expect(outcome({ output, meta }, [dollars])).toEqual(missing);
  });

  it.each([
    ['is only named', { type: 'opaque', class: 'Lost' }],
    ['wrote itself as JSON', { type: 'toJSON', class: 'Lost' }],
    ['has methods', { type: 'class', class: 'Lost', methods: true }],
  ])('names the class of an object that %s, and no other', (_, note) => {
    const types = { '/at': date, '/plain': { type: 'class', class: 'Plain' }, '/lost': note };
    const meta = { output: { replayable: false, types } };
    expect(outcome({ output: { at: '', plain: {}, lost: {} }, meta })).toEqual({
      reason: 'its output has an object of class Lost, which cannot be rebuilt',
      cure: 'Add a codec for the class (capture.codecs) and record the call again',
    });
  });
});
