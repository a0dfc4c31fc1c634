import fc from 'fast-check';
import { chooseMatch } from './choose-match.js';

type Status = 'ok' | 'error';
const span = (span_id: string, parent_id: string | null, status: Status = 'ok') => {
  return { span_id, parent_id, status };
};

describe('the call that a list shows of a trace', () => {
  it('is the first, or none', () => {
    expect(chooseMatch([span('a', null), span('b', 'a')])?.span_id).toBe('a');
    expect(chooseMatch<ReturnType<typeof span>>([])).toBeUndefined();
  });

  it('is the first of the preferred status, or else the first', () => {
    const matching = [span('a', null), span('b', 'a', 'error')];
    expect(chooseMatch(matching, 'error')?.span_id).toBe('b');
    expect(chooseMatch(matching, 'cancelled')?.span_id).toBe('a');
  });

  it('is where an error began that passed through its callers', () => {
    const matching = [
      span('a', null, 'error'),
      span('b', 'a', 'error'),
      span('c', 'b', 'error'),
      span('d', 'c'),
    ];
    expect(chooseMatch(matching)?.span_id).toBe('c');
    expect(chooseMatch(matching, 'ok')?.span_id).toBe('d');
  });

  it('is one of them, whatever the parents are', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const spans = fc.array(
      fc.record({ span_id: id, parent_id: fc.option(id), status: fc.constantFrom<Status>('ok', 'error') }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(spans, (matching) => {
        expect(matching).toContain(chooseMatch(matching, 'error'));
      }),
    );
  });
});
