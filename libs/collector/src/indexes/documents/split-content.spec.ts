import { splitContent } from './split-content.js';

describe('splitContent', () => {
  it('leaves a short text whole', () => {
    expect(splitContent('short', 10)).toEqual(['short']);
    expect(splitContent('', 10)).toEqual(['']);
  });

  it('splits between paragraphs, else lines, else words, else anywhere', () => {
    expect(splitContent('aaaaaa\n\nbbb ccc', 10)).toEqual(['aaaaaa', 'bbb ccc']);
    expect(splitContent('aaaaaa\nbbb ccc', 10)).toEqual(['aaaaaa', 'bbb ccc']);
    expect(splitContent('aaaaaa bbb ccc', 10)).toEqual(['aaaaaa bbb', 'ccc']);
    expect(splitContent('a'.repeat(25), 10).map((part) => part.length)).toEqual([10, 10, 5]);
  });

  it('loses no word', () => {
    const text = Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ');
    expect(splitContent(text, 100).join(' ')).toBe(text);
  });
});
