import { CliError } from '../errors.js';
import { EXIT_CODES } from '../exit-codes.js';
import { printable } from './printable.js';

/** Something that can be named by its id, the beginning of its id, or its name. */
export interface Named {
  readonly id: string;
  readonly name?: string | undefined;
  /** Distinguishes it from others with the name. */
  readonly detail?: string;
}

const SHOWN = 10;
/** Of older entries, give the whole id. */
const SEARCHED = 2_000;
/** Shorter beginnings of ids are words that happen to be hexadecimal. */
const MIN_PREFIX = 4;

/** Several entries have the name, or an id that starts with it. */
class NameAmbiguousError extends CliError {
  readonly code = 'CLI_NAME_AMBIGUOUS';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(
    noun: string,
    word: string,
    readonly candidates: readonly Named[],
  ) {
    const listed = candidates.slice(0, SHOWN).map((one) => `\n  ${describeNamed(one)}`);
    const more = candidates.length > SHOWN ? `\n  and ${candidates.length - SHOWN} more` : '';
    super(`"${word}" matches ${candidates.length} ${noun}s. Use the id of one:${listed.join('')}${more}\n`);
  }
}

/** No entry has the name, or an id that starts with it. */
class NameUnknownError extends CliError {
  readonly code = 'CLI_NAME_UNKNOWN';
  override readonly exitCode = EXIT_CODES.usage;

  constructor(noun: string, word: string, searched: number) {
    const rest =
      searched < SEARCHED
        ? ''
        : `Only the newest ${searched} were searched: for an older one, use its whole id. `;
    super(
      `No ${noun} has the name "${word}" or an id that starts with it. ${rest}List them to see their names.`,
    );
  }
}

/**
 * Returns the id for a word: an id, a name, or the beginning of one id.
 *
 * @param noun such as `test run`
 * @param pages of the list, newest first; the first 2,000 entries are searched
 * @throws NameAmbiguousError
 * @throws NameUnknownError
 */
export async function findByName(
  noun: string,
  word: string,
  pages: AsyncIterable<readonly Named[]>,
): Promise<string> {
  const [named, begun]: [Named[], Named[]] = [[], []];
  let searched = 0;
  for await (const page of pages) {
    for (const one of page) {
      if (one.id === word) return word;
      if (one.name?.toLowerCase() === word.toLowerCase()) named.push(one);
      else if (word.length >= MIN_PREFIX && one.id.startsWith(word)) begun.push(one);
    }
    searched += page.length;
    if (searched >= SEARCHED) break;
  }
  const found = named.length > 0 ? named : begun;
  const [first, ...others] = found;
  if (first === undefined) throw new NameUnknownError(noun, word, searched);
  if (others.length > 0) throw new NameAmbiguousError(noun, word, found);
  return first.id;
}

function describeNamed({ id, name, detail }: Named): string {
  return printable([id, name, detail].filter((part) => part !== undefined && part !== '').join('  '));
}
