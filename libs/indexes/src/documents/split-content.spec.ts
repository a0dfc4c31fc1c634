import fc from 'fast-check';
import { splitContent } from './split-content.js';

const texts = (content: string, most: number, whole?: number): string[] =>
  splitContent(content, most, whole).map(({ text }) => text);

describe('splitContent', () => {
  it('leaves a short text whole', () => {
    expect(splitContent('short', 10)).toEqual([{ text: 'short', linesBefore: 0 }]);
    expect(splitContent('', 10)).toEqual([]);
  });

  it('splits between paragraphs, else lines, else words, else anywhere', () => {
    expect(texts('aaaaaa\n\nbbb ccc', 10)).toEqual(['aaaaaa', 'bbb ccc']);
    expect(texts('aaaaaa\nbbb ccc', 10)).toEqual(['aaaaaa', 'bbb ccc']);
    expect(texts('aaaaaa bbb ccc', 10)).toEqual(['aaaaaa bbb', 'ccc']);
    expect(texts('a'.repeat(25), 10).map((part) => part.length)).toEqual([10, 10, 5]);
  });

  it('keeps a fence with blank lines whole', () => {
    const fence = '```ts\nconst a = 1;\n\nconst b = 2;\n```';
    expect(texts(`before it\n\n${fence}\n\nafter it`, 20, 100)).toEqual(['before it', fence, 'after it']);
  });

  it('keeps a table whole', () => {
    const table = '| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |';
    expect(texts(`before it\n\n${table}\n\nafter it`, 12, 100)).toEqual(['before it', table, 'after it']);
  });

  it('splits a fence that is too long into fences', () => {
    const code = Array.from({ length: 6 }, (_, line) => `line ${line}`).join('\n');
    expect(texts(`\`\`\`ts\n${code}\n\`\`\``, 10, 22)).toEqual([
      '```ts\nline 0\nline 1\nline 2\n```',
      '```ts\nline 3\nline 4\nline 5\n```',
    ]);
  });

  it('counts the lines before each part', () => {
    const content = '\none\n\ntwo\n\n```\nthree\n```\n\nfour';
    for (const { text, linesBefore } of splitContent(content, 5)) {
      expect(content.split('\n').slice(linesBefore).join('\n')).toMatch(text);
    }
  });

  it('counts the lines before each part of a long line and a long fence, and after them', () => {
    const content = `${'word '.repeat(8).trim()}\n\n\`\`\`\none\ntwo\nthree\nfour\n\`\`\`\n\nend`;
    expect(splitContent(content, 20, 10).map(({ text, linesBefore }) => [text, linesBefore])).toEqual([
      ['word word word word', 0],
      ['word word word word', 0],
      ['```\none\ntwo\n```', 3],
      ['```\nthree\nfour\n```', 5],
      ['end', 9],
    ]);
  });

  it('keeps all words and their order', () => {
    const line = fc.constantFrom(
      'word one',
      'two',
      '',
      '```',
      '| cell | cell |',
      'three four five six seven',
      '# h',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 12, max: 60 }), (lines, most) => {
        const content = lines.join('\n');
        const words = (text: string): string[] => text.match(/\w+/g) ?? [];
        expect(texts(content, most, 2 * most).flatMap(words)).toEqual(words(content));
      }),
    );
  });
});
