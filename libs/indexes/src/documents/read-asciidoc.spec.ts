import { readAsciiDoc } from './read-asciidoc.js';

describe('readAsciiDoc', () => {
  it('reads headings with anchors, code with its language, tables, definitions and lists', async () => {
    const text = [
      '= The Title\n:toc:\n:description: What it is\n\nIntro with `code`.\n',
      '[#setup]\n== Install\n\n[source,js]\n----\nconst a = 1 < 2;\n\n== not a heading\n----\n',
      '=== Options\n\n|===\n|Option |Default\n\n|retries |3\n|===\n',
      'span:: a call\n\n* one\n* two',
    ].join('\n');
    const { title, parts } = await readAsciiDoc(text);
    expect(title).toBe('The Title');
    expect(parts.map(({ headings, anchor }) => [headings.join(' › '), anchor])).toEqual([
      ['The Title', undefined],
      ['The Title', 'the-title'],
      ['The Title › Install', 'setup'],
      ['The Title › Install › Options', '_options'],
    ]);
    const contents = parts.map(({ content }) => content);
    expect(contents.slice(0, 2)).toEqual(['What it is', 'Intro with `code`.']);
    expect(contents[2]).toBe('```js\nconst a = 1 < 2;\n\n== not a heading\n```');
    expect(contents[3]).toContain('| Option | Default |\n| --- | --- |\n| retries | 3 |');
    expect(contents[3]).toContain('**span**\n: a call');
    expect(contents[3]).toContain('- one\n\n- two');
  });

  it('includes no file, fetches nothing, and prints no warnings', async () => {
    const { parts } = await readAsciiDoc(
      'include::/etc/passwd[]\n\nimage::http://127.0.0.1:1/x.png[]\n\n|===\nopen',
    );
    expect(JSON.stringify(parts)).not.toContain('root:');
  });
});
