const BLOCKS = new Set(
  'p div section main article ul ol blockquote table dl figure figcaption details summary hr address fieldset pre h1 h2 h3 h4 h5 h6'.split(
    ' ',
  ),
);
/** Blocks that begin on the line of their list item. */
const PARAGRAPHS = new Set(['p', 'div', 'section']);

/** The language of code in class names of highlighters, GitHub and Sphinx. */
const LANGUAGE =
  /(?:^|\s)(?:lang(?:uage)?-([\w+#.-]+)|highlight-source-(\w+)|highlight-(?!default|none)(\w+)\s+notranslate)/;

/** Writes Markdown from a stream of HTML tags. */
export class HtmlText {
  isInTitle = false;
  private readonly chunks: string[] = [];
  /** The text of the open `pre` so far. */
  private code: string | undefined;
  /** The language of the open or next `pre`. */
  private language: string | undefined;
  /** The open row and cell of the open table. */
  private row: string[] | undefined;
  private cell: string | undefined;
  private rowCount = 0;
  private last = '\n\n';
  /** Only the mark of a list item is written, so its first paragraph continues the line. */
  private isItemEmpty = false;

  open(name: string, attributes: Record<string, string | undefined>): void {
    if (name === 'title') this.isInTitle = true;
    if (name === 'pre' || name === 'code' || name === 'div') this.language ??= readLanguage(attributes);
    if (this.code !== undefined) {
      if (name === 'br') this.code += '\n';
      return;
    }
    if (name === 'pre') {
      this.breakLine(2);
      this.code = '';
      return;
    }
    if (name === 'table') this.rowCount = 0;
    if (name === 'tr') this.row = [];
    if (name === 'td' || name === 'th') this.cell = '';
    if (this.cell !== undefined) {
      if (name === 'br' || BLOCKS.has(name)) this.cell += ' ';
      if (name === 'code') this.cell += '`';
      return;
    }
    this.openInText(name, attributes);
  }

  write(text: string): void {
    if (this.code !== undefined) this.code += text;
    else if (this.cell !== undefined) this.cell += text;
    else this.put(text.replace(/\s+/g, ' '));
  }

  close(name: string): void {
    if (name === 'title') this.isInTitle = false;
    if (this.code !== undefined) {
      if (name === 'pre') this.closeCode(this.code);
      return;
    }
    if (this.cell !== undefined) {
      if (name === 'code') this.cell += '`';
      if (name !== 'td' && name !== 'th' && name !== 'tr' && name !== 'table') return;
      this.row?.push(this.cell.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim());
      this.cell = undefined;
    }
    if (name === 'tr' || name === 'table') this.closeRow();
    if (name === 'code') this.put('`');
    if (name === 'code' || name === 'div') this.language = undefined;
    if (name === 'dt') this.put('**');
    if (BLOCKS.has(name) && !this.isItemEmpty) this.breakLine(2);
  }

  toString(): string {
    if (this.code !== undefined) this.closeCode(this.code);
    return this.chunks.join('');
  }

  private openInText(name: string, attributes: Record<string, string | undefined>): void {
    if (name === 'br') this.breakLine(1);
    else if (name === 'hr') this.put('\n\n***\n\n');
    else if (name === 'code') this.put('`');
    else if (name === 'li') {
      this.breakLine(1);
      this.openItem('- ');
    } else if (name === 'dt') {
      this.breakLine(2);
      this.put('**');
    } else if (name === 'dd') {
      this.breakLine(1);
      this.openItem(': ');
    } else if (BLOCKS.has(name) && !(this.isItemEmpty && PARAGRAPHS.has(name))) this.breakLine(2);
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level === undefined) return;
    const id = attributes['id'];
    this.put(
      `${'#'.repeat(Number(level))} ${id === undefined ? '' : `<a id="${id.replace(/[^\w.:-]/g, '')}"></a>`}`,
    );
  }

  private closeCode(code: string): void {
    this.code = undefined;
    const text = code.replace(/^\n/, '').trimEnd();
    const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(longest + 1);
    this.put(`${fence}${this.language ?? ''}\n${text}\n${fence}`);
    this.language = undefined;
    this.breakLine(2);
  }

  private closeRow(): void {
    const { row } = this;
    this.row = undefined;
    if (row === undefined || row.length === 0) return;
    this.breakLine(this.rowCount === 0 ? 2 : 1);
    this.put(`| ${row.join(' | ')} |`);
    this.breakLine(1);
    if (this.rowCount++ === 0) this.put(`|${' --- |'.repeat(row.length)}\n`);
  }

  private openItem(mark: string): void {
    this.put(mark);
    this.isItemEmpty = true;
  }

  /** Adds line breaks until there are at least `count`. */
  private breakLine(count: 1 | 2): void {
    if (this.last.endsWith(' ')) {
      this.chunks.push((this.chunks.pop() ?? '').trimEnd());
      this.last = this.last.trimEnd();
    }
    const ends = /\n*$/.exec(this.last)?.[0].length ?? 0;
    if (ends < count) this.put('\n'.repeat(count - ends));
  }

  private put(text: string): void {
    const isBegun = this.isItemEmpty || this.last.endsWith('\n');
    if (text === '' || (text === ' ' && isBegun)) return;
    const written = isBegun ? text.replace(/^ /, '') : text;
    this.isItemEmpty = false;
    this.chunks.push(written);
    this.last = `${this.last.slice(-2)}${written}`.slice(-3);
  }
}

function readLanguage(attributes: Record<string, string | undefined>): string | undefined {
  const found = LANGUAGE.exec(attributes['class'] ?? '');
  const language = found?.[1] ?? found?.[2] ?? found?.[3] ?? attributes['data-lang'];
  return language?.replace(/[^\w+#.-]/g, '').toLowerCase();
}
