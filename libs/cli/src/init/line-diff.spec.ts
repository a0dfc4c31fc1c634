import fc from 'fast-check';
import { editText } from './edit-text.js';
import { diffLines, revertHunks, splitLines } from './line-diff.js';

const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n');
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'a', 'end'))
  .map(([lines, last]) => lines.join('') + last);

describe('A diff of lines', () => {
  it('turns the second text into the first', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffLines(splitLines(before), splitLines(after));
        expect(revertHunks(after, hunks)).toBe(before);
      }),
    );
  });

  it('is empty for equal texts', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(diffLines(splitLines(same), splitLines(same))).toEqual([]);
      }),
    );
  });
});

describe('An edit', () => {
  it('keeps every line end of lines that stay', () => {
    expect(editText('a\r\nb\nc\r\n', (lines) => lines.replace('b\n', 'b\nnew\n'))).toBe(
      'a\r\nb\nnew\r\nc\r\n',
    );
  });

  it('that changes nothing keeps the text', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(editText(same, (lines) => lines)).toBe(same);
      }),
    );
  });
});
