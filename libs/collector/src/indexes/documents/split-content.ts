/** Characters of one passage, unless a fence or a table is longer. */
const PASSAGE_LENGTH = 2400;
/** Characters of a fence or a table that stays whole. */
const WHOLE_LENGTH = 8000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export interface Passage {
  text: string;
  /** Lines of the content before it. */
  linesBefore: number;
}

interface Block {
  lines: string[];
  length: number;
  /** It is code or a table: cut only where it is too long to stay whole. */
  isWhole: boolean;
}

/**
 * Splits a long text between its paragraphs. A fence or a table stays whole, together with the paragraph before it where that
 * fits; one beyond `whole` characters is cut between lines, and each part of a fence is a fence.
 */
export function splitContent(content: string, most = PASSAGE_LENGTH, whole = WHOLE_LENGTH): Passage[] {
  const passages: Passage[] = [];
  let lines: string[] = [];
  let length = 0;
  let begun = 0;

  const flush = (): void => {
    const text = lines.join('\n');
    const leading = /^(?:[^\S\n]*\n)*/.exec(text)?.[0] ?? '';
    if (text.trim() !== '')
      passages.push({
        text: text.slice(leading.length).trimEnd(),
        linesBefore: begun + leading.split('\n').length - 1,
      });
    begun += lines.length;
    [lines, length] = [[], 0];
  };
  for (const block of blocksOf(content)) {
    if (length > 0 && length + block.length > most) flush();
    if (block.length <= (block.isWhole ? whole : most)) {
      lines.push(...block.lines);
      length += block.length;
      continue;
    }
    flush();
    for (const { text, linesBefore } of cut(block, block.isWhole ? whole : most)) {
      passages.push({ text, linesBefore: begun + linesBefore });
    }
    begun += block.lines.length;
  }
  flush();
  return passages;
}

/** Paragraphs with the blank lines behind them, fences and tables. */
function blocksOf(content: string): Block[] {
  const blocks: Block[] = [];
  let current: string[] = [];
  let fence: string | undefined;
  const close = (isWhole: boolean): void => {
    if (current.length > 0) blocks.push({ lines: current, length: lengthOf(current), isWhole });
    current = [];
  };
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    const isTable = line.trimStart().startsWith('|');
    if (fence !== undefined) {
      current.push(line);
      if (mark?.startsWith(fence) !== true) continue;
      fence = undefined;
      close(true);
    } else if (mark !== undefined) {
      close(isTableBlock(current));
      fence = mark;
      current.push(line);
    } else {
      if (current.length > 0 && isTable !== isTableBlock(current)) close(isTableBlock(current));
      current.push(line);
      if (line.trim() === '') close(isTableBlock(current));
    }
  }
  close(fence !== undefined || isTableBlock(current));
  return blocks;
}

function isTableBlock(lines: readonly string[]): boolean {
  return lines[0]?.trimStart().startsWith('|') === true;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Between lines, else between words, else anywhere. */
function cut({ lines, isWhole }: Block, most: number): Passage[] {
  const mark = isWhole ? FENCE.exec(lines[0] ?? '')?.[1] : undefined;
  const isClosed = mark !== undefined && lines.length > 1 && FENCE.test(lines.at(-1) ?? '');
  const [first, end] = [mark === undefined ? 0 : 1, isClosed ? lines.length - 1 : lines.length];
  const parts: Passage[] = [];
  const take = (taken: readonly string[], linesBefore: number): void => {
    const text = taken.join('\n');
    if (text.trim() === '') return;
    parts.push({
      text: mark === undefined ? text : `${lines[0] ?? mark}\n${text}\n${mark}`,
      linesBefore,
    });
  };
  let taken: string[] = [];
  for (let at = first; at < end; at++) {
    const line = lines[at] ?? '';
    if (taken.length > 0 && lengthOf(taken) + line.length > most) {
      take(taken, at - taken.length);
      taken = [];
    }
    if (line.length <= most) taken.push(line);
    else for (const piece of piecesOf(line, most)) take([piece], at);
  }
  take(taken, end - taken.length);
  return parts;
}

function piecesOf(line: string, most: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > most) {
    const space = rest.lastIndexOf(' ', most);
    const end = space > most / 2 ? space : most;
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}
