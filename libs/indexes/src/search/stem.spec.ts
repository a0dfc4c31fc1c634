import { stem } from './stem.js';

describe('stem', () => {
  it.each([
    [['validate', 'validates', 'validating', 'validated', 'validation', 'validator']],
    [['cache', 'caches', 'cached', 'caching']],
    [['retry', 'retries']],
    [['connect', 'connects', 'connecting', 'connected', 'connection']],
    [['plugin', 'plugins']],
    [['stop', 'stopped', 'stopping']],
    [['serialize', 'serializer', 'serialization']],
    [['parse', 'parser', 'parsing']],
  ])('is the same for %j', (words) => {
    expect(new Set(words.map(stem)).size).toBe(1);
  });

  it.each([[['status', 'state']], [['section', 'set']], [['error', 'err']], [['class', 'clause']]])(
    'differs for %j',
    (words) => {
      expect(new Set(words.map(stem)).size).toBe(words.length);
    },
  );

  it('does not change names, numbers and other languages', () => {
    for (const word of ['a1', 'http2', 'straße', '超时', '']) expect(stem(word)).toBe(word);
  });
});
