import { readRst, readText } from './read-text.js';

const seen = ({ parts }: ReturnType<typeof readRst>): [string, string, number | undefined][] =>
  parts.map(({ headings, content, line }) => [headings.join(' › '), content, line]);

describe('readText', () => {
  it('splits at underlined headings, as deep as the order of their lines says', () => {
    const text = 'intro\n\nInstall\n=======\nrun\n\nOn Linux\n--------\napt\n\nUse\n===\nit\n';
    expect(seen(readText(text, 'a.txt'))).toEqual([
      ['', 'intro', 1],
      ['Install', 'run', 5],
      ['Install › On Linux', 'apt', 9],
      ['Use', 'it', 13],
    ]);
  });

  it('takes no rule, no table and no long line for a heading', () => {
    for (const text of [
      'one\ntwo\n---\nthree',
      'one\n\n---\n\ntwo',
      `${'long '.repeat(30)}\n====\ntext`,
      '=====\n-----\n',
    ]) {
      expect(seen(readText(text, 'a.txt')).map(([headings]) => headings)).toEqual(['']);
    }
  });
});

describe('readRst', () => {
  it('reads headings with a line above and below, and those of any mark', () => {
    const text = '=====\nTitle\n=====\n\nintro\n\nPart\n====\n\na\n\nInner\n^^^^^\n\nb\n\nNext\n====\n\nc\n';
    expect(readRst(text).title).toBe('Title');
    expect(seen(readRst(text))).toEqual([
      ['Title', 'intro', 4],
      ['Title › Part', 'a', 9],
      ['Title › Part › Inner', 'b', 14],
      ['Title › Next', 'c', 19],
    ]);
  });

  it('makes fences of code, whole and in its language, with what looks like a heading in it', () => {
    const text = [
      'Run it:',
      '',
      '.. code-block:: python',
      '   :linenos:',
      '',
      '   print(1)',
      '',
      '   Title',
      '   -----',
      '',
      'Then::',
      '',
      '    $ more',
      'end',
    ].join('\n');
    expect(seen(readRst(text))).toEqual([
      ['', 'Run it:\n\n\n```python\nprint(1)\n\nTitle\n-----\n```\n\nThen:\n\n```\n$ more\n```\n\nend', 1],
    ]);
  });

  it('reads everything else as it stands', () => {
    const text =
      '.. note::\n   Take :ref:`care <care>`.\n\n+---+---+\n| a | b |\n+---+---+\n\n.. code-block:: sh\n\nnothing';
    const [[, content] = ['', '']] = seen(readRst(text));
    expect(content).toContain('Take :ref:`care <care>`.');
    expect(content).toContain('| a | b |');
    expect(content).not.toContain('```sh');
    expect(content).toContain('nothing');
  });
});
