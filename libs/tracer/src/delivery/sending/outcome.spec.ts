import type { Answer } from './answer.js';
import { outcomeOf } from './outcome.js';

const answer = (status: number, text = '', more: Partial<Answer> = {}): Answer => ({
  status,
  text,
  retryAfter: undefined,
  location: undefined,
  ...more,
});
const kindOf = (status: number, compressed = false) => outcomeOf(answer(status), 10, compressed, 0).kind;

describe('An answer to a batch', () => {
  it.each([
    ['stored', [200, 202, 204, 299]],
    ['later', [408, 425, 429, 500, 501, 502, 503, 504, 599]],
    ['paused', [301, 302, 303, 307, 308, 401, 403, 404]],
    ['too_large', [413]],
    ['refused', [400, 405, 409, 415, 422, 451]],
  ])('means `%s` for %j', (kind, statuses) => {
    expect(statuses.map((status) => kindOf(status))).toEqual(statuses.map(() => kind));
  });

  it('415 to a compressed body asks for it as it is', () => {
    expect(kindOf(415, true)).toBe('encoding_refused');
  });

  it('names the lines that were not taken; lines that were never sent are ignored', () => {
    const rejected = [
      { line: 2, detail: 'no' },
      { line: 99, detail: 'no' },
      { line: 0 },
      'x',
      null,
      { line: 1.5 },
    ];
    const outcome = outcomeOf(answer(200, JSON.stringify({ accepted: 9, rejected })), 10, false, 0);
    expect(outcome).toEqual({ kind: 'stored', rejected: new Map([[2, 'no']]) });
  });

  it.each(['', '{"accepted":', 'null', '[]', '{"rejected":7}', '<html>'])(
    'a 2xx with the body %j is a success',
    (text) => {
      expect(outcomeOf(answer(200, text), 10, false, 0)).toEqual({ kind: 'stored', rejected: new Map() });
    },
  );

  it('passes on what the service says of an error (SPEC 2.5, 7)', () => {
    const body = JSON.stringify({ detail: 'Invalid API key', status_code: 401 });
    const outcome = outcomeOf(answer(401, body), 10, false, 0);
    expect(outcome).toMatchObject({ error: { code: 'TRACER_UNAUTHORIZED', detail: 'Invalid API key' } });
  });

  it('carries the pause that the service asks for', () => {
    expect(outcomeOf(answer(503, '', { retryAfter: '7' }), 10, false, 0)).toMatchObject({
      retryAfterMs: 7000,
    });
  });
});
