import { readRst, readText } from './read-text.js';

const outline = ({ parts }: ReturnType<typeof readRst>): [string, string, number | undefined][] =>
  parts.map(({ headings, content, line }) => [headings.join(' › '), content, line]);

describe('readText', () => {
  it('splits at underlined headings, with levels in the order of their underlines', () => {
    const text = 'intro\n\nInstall\n=======\nrun\n\nOn Linux\n--------\napt\n\nUse\n===\nit\n';
    expect(outline(readText(text, 'a.txt'))).toEqual([
      ['', 'intro', 1],
      ['Install', 'run', 5],
      ['Install › On Linux', 'apt', 9],
      ['Use', 'it', 13],
    ]);
  });

  it('does not read a rule, a table or a long line as a heading', () => {
    for (const text of [
      'one\ntwo\n---\nthree',
      'one\n\n---\n\ntwo',
      `${'long '.repeat(30)}\n====\ntext`,
      '=====\n-----\n',
    ]) {
      expect(outline(readText(text, 'a.txt')).map(([headings]) => headings)).toEqual(['']);
    }
  });
});

describe('readRst', () => {
  it('reads overlined headings, and underlines of any character', () => {
    const text = '=====\nTitle\n=====\n\nintro\n\nPart\n====\n\na\n\nInner\n^^^^^\n\nb\n\nNext\n====\n\nc\n';
    expect(readRst(text).title).toBe('Title');
    expect(outline(readRst(text))).toEqual([
      ['Title', 'intro', 4],
      ['Title › Part', 'a', 9],
      ['Title › Part › Inner', 'b', 14],
      ['Title › Next', 'c', 19],
    ]);
  });

  it('turns code into a fence with its language, including lines that look like headings', () => {
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
    expect(outline(readRst(text))).toEqual([
      ['', 'Run it:\n\n\n```python\nprint(1)\n\nTitle\n-----\n```\n\nThen:\n\n```\n$ more\n```\n\nend', 1],
    ]);
  });

  it('leaves everything else unchanged', () => {
    const text =
      '.. note::\n   Take :ref:`care <care>`.\n\n+---+---+\n| a | b |\n+---+---+\n\n.. code-block:: sh\n\nnothing';
    const [[, content] = ['', '']] = outline(readRst(text));
    expect(content).toContain('Take :ref:`care <care>`.');
    expect(content).toContain('| a | b |');
    expect(content).not.toContain('```sh');
    expect(content).toContain('nothing');
  });
});
