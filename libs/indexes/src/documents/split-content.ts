/** For text; a fence or a table may be longer. */
const MAX_PASSAGE_LENGTH = 2400;
/** Fences and tables up to this length stay whole. */
const MAX_WHOLE_LENGTH = 8000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export interface Passage {
  text: string;
  /** Lines of the content before the passage. */
  linesBefore: number;
}

interface Block {
  lines: string[];
  length: number;
  /** Whether it is code or a table. */
  isWhole: boolean;
}

/**
 * Splits a long text between paragraphs. A fence or a table stays whole, if possible together with the paragraph before. If it has more
 * than `maxWholeLength` characters, it is cut between lines, and each part of a fence is a fence.
 */
export function splitContent(
  content: string,
  maxLength = MAX_PASSAGE_LENGTH,
  maxWholeLength = MAX_WHOLE_LENGTH,
): Passage[] {
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
  for (const block of splitBlocks(content)) {
    if (length > 0 && length + block.length > maxLength) flush();
    if (block.length <= (block.isWhole ? maxWholeLength : maxLength)) {
      lines.push(...block.lines);
      length += block.length;
      continue;
    }
    flush();
    for (const { text, linesBefore } of cut(block, block.isWhole ? maxWholeLength : maxLength)) {
      passages.push({ text, linesBefore: begun + linesBefore });
    }
    begun += block.lines.length;
  }
  flush();
  return passages;
}

/** Splits into paragraphs with the blank lines after them, fences and tables. */
function splitBlocks(content: string): Block[] {
  const blocks: Block[] = [];
  let current: string[] = [];
  let fence: string | undefined;
  const close = (isWhole: boolean): void => {
    if (current.length > 0) blocks.push({ lines: current, length: countCharacters(current), isWhole });
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

function countCharacters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Cuts between lines, else between words, else anywhere. */
function cut({ lines, isWhole }: Block, maxLength: number): Passage[] {
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
    if (taken.length > 0 && countCharacters(taken) + line.length > maxLength) {
      take(taken, at - taken.length);
      taken = [];
    }
    if (line.length <= maxLength) taken.push(line);
    else for (const piece of splitLine(line, maxLength)) take([piece], at);
  }
  take(taken, end - taken.length);
  return parts;
}

function splitLine(line: string, maxLength: number): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > maxLength) {
    const space = rest.lastIndexOf(' ', maxLength);
    const end = space > maxLength / 2 ? space : maxLength;
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...pieces, rest];
}
