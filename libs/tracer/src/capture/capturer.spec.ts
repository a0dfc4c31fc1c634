import { Capturer } from './capturer.js';
import { revive } from './revive.js';

describe('a captured value', () => {
  const capturer = new Capturer();

  it('stands in its JSON as a person expects, with no notes when there is nothing to note', () => {
    const ticket = { id: 7, tags: ['login'], open: true, note: null };
    expect(capturer.capture(ticket)).toEqual({
      json: JSON.stringify(ticket),
      meta: undefined,
      replayable: true,
    });
  });

  it('comes back equal, with types that JSON has no word for', () => {
    const value = [
      new Date(0),
      undefined,
      NaN,
      -0,
      10n,
      new Map([['a', new Set([1])]]),
      /a\/b/g,
      Buffer.from('hi'),
    ];
    const { json, meta, replayable } = capturer.captureArguments(value);
    expect(revive(JSON.parse(json), meta)).toEqual(value);
    expect(replayable).toBe(true);
  });

  it('is the value of that moment, whatever happens to it later', () => {
    const ticket = { status: 'open' };
    const { json } = capturer.capture(ticket);
    ticket.status = 'closed';
    expect(json).toBe('{"status":"open"}');
  });
});
