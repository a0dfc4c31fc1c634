import { type Condition, conditionsIn } from '@dacapo/protocol';

const ROWS: Condition[] = conditionsIn('lists').map(([, row]) => row);
const MOST = 12;

/** The last word of a line as far as it is typed, and what is before it. Nothing inside quotation marks. */
function splitLine(line: string): { before: string; word: string; value: string | undefined } | undefined {
  const [, before = '', last = ''] = /^(.*?)(\S*)$/s.exec(line) ?? [];
  if (before.split('"').length % 2 === 0 || last.startsWith('"')) return undefined;
  const [, word = last, value] = /^([\w-]+):"?(.*)$/s.exec(last) ?? [];
  return { before, word, value };
}

/** Which values the service suggests for the last word: those of `model:g`. */
export function findSuggested(
  line: string,
): { suggests: NonNullable<Condition['suggests']>; prefix: string } | undefined {
  const { word, value } = splitLine(line) ?? {};
  if (value === undefined) return undefined;
  const suggests = ROWS.find((row) => row.word === word)?.suggests;
  return suggests && { suggests, prefix: value };
}

/** The line with its last word completed, in each way. @param values of the condition that is typed */
export function completeLine(line: string, values: readonly string[] = []): string[] {
  const split = splitLine(line);
  if (split === undefined) return [];
  const { before, word, value } = split;
  if (value === undefined) {
    if (word === '') return [];
    const starts = ROWS.filter((row) => row.word.startsWith(word)).map(
      (row) => `${row.word}${row.kind === 'metadata' ? '.' : (row.operator ?? ':')}`,
    );
    return [...new Set(starts)].slice(0, MOST).map((start) => before + start);
  }
  const choices = ROWS.find((row) => row.word === word)?.choices ?? values;
  return choices
    .filter((choice) => choice.startsWith(value))
    .slice(0, MOST)
    .map((choice) => `${before}${word}:${/\s/.test(choice) ? `"${choice}"` : choice}`);
}
