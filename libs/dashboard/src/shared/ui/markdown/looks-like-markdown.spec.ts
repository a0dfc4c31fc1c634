import { looksLikeMarkdown } from './looks-like-markdown.js';

describe('a text looks like Markdown', () => {
  it.each([
    '# Title',
    'a\n- b',
    '1. one',
    '> said',
    '```\nx',
    '| a | b |',
    'is **bold**',
    'run `x`',
    'see [a](b)',
  ])('with %j', (text) => {
    expect(looksLikeMarkdown(text)).toBe(true);
  });

  it.each(['', 'It is late.', 'a * b * c', '#1 and -2', 'x_y_z', 'cost: 5 > 3', '{"a": [1](2'])(
    'but not with %j',
    (text) => {
      expect(looksLikeMarkdown(text)).toBe(false);
    },
  );
});
