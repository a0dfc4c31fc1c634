import { plural } from '../gate/words.js';
import { byteLength, plain, shorten } from './words.js';

const LONGEST_CELL = 200;
const MOST_SENTENCES = 10;
/** Room for the final sentences about omitted parts. */
const RESERVED_BYTES = 200;

/** Collects blocks of a comment up to its maximum size. */
export class CommentBlocks {
  private readonly blocks: string[] = [];
  private left: number;

  constructor(maxCharacters = 60_000) {
    this.left = Math.max(2_000, maxCharacters) - RESERVED_BYTES;
  }

  /** @returns `false` when the block does not fit */
  add(block: string): boolean {
    // A UTF-8 text has at least as many bytes as characters.
    const size = byteLength(block) + 2;
    if (size > this.left) return false;
    this.left -= size;
    this.blocks.push(block);
    return true;
  }

  /** @param last sentences about omitted parts, which always fit */
  text(last: readonly string[]): string {
    return `${[...this.blocks, ...last].join('\n\n')}\n`;
  }
}

/** A list of up to ten sentences; the others are counted. */
export function bullets(sentences: readonly string[], oneMore: string): string[] {
  if (sentences.length === 0) return [];
  const shown = sentences.slice(0, MOST_SENTENCES).map((sentence) => `- ${escape(sentence)}`);
  const more = sentences.length - MOST_SENTENCES;
  return [[...shown, ...(more > 0 ? [`- ${plural(more, oneMore, `${oneMore}s`)}`] : [])].join('\n')];
}

/** @param rows escaped cells */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const used = columns.flatMap((_, at) => (rows.some((row) => (row[at] ?? '') !== '') ? [at] : []));
  const line = (cells: readonly string[]): string => `| ${used.map((at) => cells[at] ?? '').join(' | ')} |`;
  return [[line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')];
}

/** Empty unless the URL is http(s). */
export function link(text: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\//.test(url)) return '';
  return `${text.startsWith(' ') ? ' ' : ''}[${text.trim()}](<${plain(url).replace(/[<>\s]/g, encodeURIComponent)}>)`;
}

/** Formats text as a code span. Only a table's bar needs escaping inside. */
export function code(text: string, longest = LONGEST_CELL): string {
  const shown = plain(shorten(text, longest));
  const run = (shown.match(/`+/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 0);
  const fence = '`'.repeat(run + 1);
  const padding = shown === '' || /^[` ]|[` ]$/.test(shown) ? ' ' : '';
  return `${fence}${padding}${shown.replaceAll('|', '\\|')}${padding}${fence}`;
}

/** Escapes markup, mentions, issue references and automatic links. */
export function escape(text: string): string {
  return plain(shorten(text, 500))
    .replace(/[\\`*_{}[\]()<>#+!|~&$]/g, '\\$&')
    .replace(/[@#]|:\/\/|www\.|\bGH-/gi, '$&\u200b');
}
