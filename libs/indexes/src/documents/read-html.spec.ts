import { readHtml } from './read-html.js';

const readContent = (html: string): string =>
  readHtml(html)
    .parts.map(({ content }) => content)
    .join('\n');

describe('readHtml', () => {
  it('keeps tables and definitions', () => {
    const html = `<h1>Options</h1><table><tr><th>Opt<th>Def</tr><tr><td><code>retries</code></td><td>3 | 4</td></tr></table>
      <dl><dt>timeout</dt><dd>in ms</dd><dt>host</dt><dd>a name</dd></dl>`;
    expect(readContent(html)).toBe(
      '| Opt | Def |\n| --- | --- |\n| `retries` | 3 \\| 4 |\n\n**timeout**\n: in ms\n\n**host**\n: a name',
    );
  });

  it('uses the ids of headings as anchors', () => {
    const { parts } = readHtml('<h1>A</h1><p>a<h2 id="b.1">B</h2><p>b');
    expect(parts).toEqual([
      { headings: ['A'], content: 'a', anchor: 'a' },
      { headings: ['A', 'B'], content: 'b', anchor: 'b.1' },
    ]);
  });

  it('keeps code unchanged', () => {
    expect(readContent('<h1>A</h1><pre><code># no\n  a &lt; b\n\n```</code></pre>')).toBe(
      '````\n# no\n  a < b\n\n```\n````',
    );
    expect(readContent('<p>Call <code>a()</code>\n  now.</p>')).toBe('Call `a()` now.');
  });

  it.each([
    '<pre><code class="hljs language-js">a</code></pre>',
    '<pre class="lang-js"><code>a</code></pre>',
    '<div class="highlight highlight-source-js"><pre>a</pre></div>',
    '<div class="highlight-js notranslate"><div class="highlight"><pre><span></span>a</pre></div></div>',
    '<pre><code data-lang="JS">a</code></pre>',
  ])('keeps the language of code (%#), for this code only', (html) => {
    expect(readContent(`${html}<pre>b</pre>`)).toBe('```js\na\n```\n\n```\nb\n```');
  });

  it('keeps lists, and separates paragraphs', () => {
    expect(readContent('<p>one</p><p>two<br>three</p><ul><li>a</li><li>b</li></ul>')).toBe(
      'one\n\ntwo\nthree\n\n- a\n- b',
    );
  });

  it('begins the paragraph of an item after its mark, and code on a separate line', () => {
    expect(
      readContent('<ul>\n<li>\n<p>one</p>\n</li>\n<li><div><p>two</p></div><p>more</p></li><li></li></ul>'),
    ).toBe('- one\n\n- two\n\nmore\n\n-');
    expect(readContent('<dl><dt>a</dt><dd><p>b</p></dd></dl><ol><li><pre>c</pre></li></ol>')).toBe(
      '**a**\n: b\n\n-\n\n```\nc\n```',
    );
  });

  it('skips navigation and headers, and everything outside of main', () => {
    const html = `<title>T</title><nav>menu</nav><p>before</p><main><header>head</header><p>text</p></main><p>after</p>`;
    expect(readHtml(html)).toEqual({ title: 'T', parts: [{ headings: [], content: 'text' }] });
  });

  it('reads unclosed and hostile elements as text', () => {
    expect(readContent(`${'<div>'.repeat(1500)}deep`)).toBe('deep');
    expect(readContent(`${'<table><tr><td>'.repeat(400)}x`)).toContain('x');
    expect(readContent('<p>a<img src=x onerror=alert(1)><script>alert(2)</script>')).toBe('a');
  });

  it('refuses a page that nests too deep', () => {
    expect(() => readHtml('<div>'.repeat(200_000))).toThrow('elements nest deeper than 2000');
  });
});
