import { isFunctionName } from './native-function.js';

describe('isFunctionName', () => {
  it.each(['ClassifyTicket', 'support.classify-v2', 'a'])('accepts %s', (name) => {
    expect(isFunctionName(name)).toBe(true);
  });

  it.each(['', '1st', 'a/b', '../a', 'a b', 'a'.repeat(129)])('rejects %j', (name) => {
    expect(isFunctionName(name)).toBe(false);
  });
});
