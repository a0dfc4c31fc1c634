import { paths, readPathId } from './paths.js';

describe('readPathId', () => {
  it.each(['answer', 'POST /refunds/:id', '50%2F off', 'a?b#c', 'über', '%'])(
    'reads %j from its address',
    (key) => {
      expect(readPathId(new URL(paths.function(key, { tab: 'runs' }), 'http://x').pathname)).toBe(key);
    },
  );

  it('returns what cannot be decoded as it is', () => {
    expect(readPathId('/functions/50%')).toBe('50%');
  });
});
