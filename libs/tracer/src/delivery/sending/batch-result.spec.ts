import type { Answer } from './answer.js';
import { readBatchResult } from './batch-result.js';

const answer = (status: number, text = '', more: Partial<Answer> = {}): Answer => ({
  status,
  text,
  retryAfter: undefined,
  location: undefined,
  isWhole: true,
  ...more,
});
const readKind = (status: number, compressed = false) =>
  readBatchResult(answer(status), 10, compressed, 0).kind;

describe('The response to a batch', () => {
  it.each([
    ['later', [408, 425, 429, 500, 501, 502, 503, 504, 599]],
    ['paused', [401, 407]],
    ['refused', [301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 406, 409, 410, 411, 414, 415]],
    ['refused', [417, 418, 421, 422, 426, 428, 431, 451]],
    ['too_large', [413]],
  ])('means `%s` for %j', (kind, statuses) => {
    expect(statuses.map((status) => readKind(status))).toEqual(statuses.map(() => kind));
  });

  it('waits as long as the service requests, five minutes at most', () => {
    const waits = ['0', '15', '86400', 'soon'].map((retryAfter) =>
      readBatchResult(answer(503, '', { retryAfter }), 10, false, 0),
    );
    expect(waits).toMatchObject([0, 15_000, 300_000, undefined].map((retryAfterMs) => ({ retryAfterMs })));
  });

  it('415 to a compressed body requests an uncompressed one', () => {
    expect(readKind(415, true)).toBe('encoding_refused');
  });

  const stored = (accepted: unknown, rejected: unknown, more: object = {}) =>
    JSON.stringify({ accepted, rejected, ...more });

  it.each([200, 201, 202, 299])('%i means stored when it speaks of each line', (status) => {
    const whole = readBatchResult(answer(status, stored(10, [], { duplicate: true, more: 1 })), 10, false, 0);
    expect(whole).toEqual({ kind: 'stored', rejected: new Map() });
  });

  it('names the rejected lines', () => {
    const text = stored(8, [{ line: 2, detail: 'no' }, { line: 9 }]);
    expect(readBatchResult(answer(200, text), 10, false, 0)).toEqual({
      kind: 'stored',
      rejected: new Map([
        [2, 'no'],
        [9, 'no reason given'],
      ]),
    });
  });

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><title>Sign in</title>'],
    ['the start of an answer', '{"accepted":'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an object of nobody', '{}'],
    ['none accepted', stored(0, [])],
    ['less than was sent', stored(9, [])],
    ['more than was sent', stored(11, [])],
    ['a text for a number', stored('10', [])],
    ['no list of rejections', JSON.stringify({ accepted: 10 })],
    ['a number for the list', stored(10, 7)],
    ['a line that was not sent', stored(9, [{ line: 11 }])],
    ['a line twice', stored(8, [{ line: 2 }, { line: 2 }])],
    ['a line that is none', stored(9, [{ line: 1.5 }])],
    ['a rejection that is none', stored(9, ['2'])],
    ['success in other words', '{"ok":true,"count":10}'],
  ])('a 2xx that says %s stores nothing: all is kept, and what answered is named', (_, text) => {
    const outcome = readBatchResult(answer(200, text), 10, false, 0);
    expect(outcome).toMatchObject({
      kind: 'refused',
      refusal: { status: 200, error: { code: 'TRACER_UNEXPECTED_ANSWER', status: 200 } },
    });
    expect(readBatchResult(answer(204), 10, false, 0).kind).toBe('refused');
  });

  it('a 2xx that was cut off is tried again soon', () => {
    const cut = readBatchResult(answer(200, '{"accepted":', { isWhole: false }), 10, false, 0);
    expect(cut).toMatchObject({ kind: 'later', error: { code: 'TRACER_UNEXPECTED_ANSWER' } });
  });

  it('passes on the error text of the service (SPEC 2.5, 7)', () => {
    const body = JSON.stringify({ detail: 'Invalid API key', status_code: 401 });
    const outcome = readBatchResult(answer(401, body), 10, false, 0);
    expect(outcome).toMatchObject({ error: { code: 'TRACER_UNAUTHORIZED', detail: 'Invalid API key' } });
  });

  it('contains the pause that the service requires', () => {
    expect(readBatchResult(answer(503, '', { retryAfter: '7' }), 10, false, 0)).toMatchObject({
      retryAfterMs: 7000,
    });
  });
});
