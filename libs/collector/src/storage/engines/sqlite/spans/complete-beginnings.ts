import type { TextQuery, TextTerm } from '../../../rules/text-query.js';
import type { Reader } from '../connection.js';

/** A term that goes on with one of some words: those of the index that begin as was asked. */
export interface CompletedTerm extends TextTerm {
  lastWords?: readonly string[];
}

/** So many words at most are looked for in place of what begins them: of each the index is opened where it has it. */
const MOST_WORDS = 16;

/** A beginning of no more entries than these is gathered as soon as its words are read. */
const FEW_ENTRIES = 2_000;

/**
 * From each word to the next: after all entries of one, which are passed over by its successor, as no word has a character below it.
 * What the account's words begin with is the beginning of both ends.
 */
const WORDS = `WITH RECURSIVE found(word) AS (
    SELECT (SELECT term FROM span_words WHERE term >= ?1 LIMIT 1)
      WHERE (SELECT count(*) FROM (SELECT 1 FROM span_words WHERE term >= ?1 AND term < ?2 LIMIT ?3)) = ?3
    UNION ALL
    SELECT (SELECT term FROM span_words WHERE term >= found.word || char(1) LIMIT 1) FROM found WHERE found.word < ?2
    LIMIT ${MOST_WORDS + 2})
  SELECT word FROM found WHERE word < ?2`;

/** No character is greater, in the order of SQLite's bytes. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Has words looked for in place of beginnings, where these begin few that are common: what a beginning has is gathered over the whole index, each time
 * that it is asked; a word is looked up where it is asked for.
 *
 * @param prefix of the account's words
 * @param fewEntries a beginning is left as it is where its words have no more in the index
 * @returns a query in which a beginning of too many words is left as it is, too
 */
export async function completeBeginnings(
  database: Reader,
  query: TextQuery,
  prefix: string,
  fewEntries = FEW_ENTRIES,
): Promise<CompletedTerm[]> {
  return Promise.all(
    query.map(async (term): Promise<CompletedTerm> => {
      const { words, isPrefix } = term;
      if (!isPrefix) return term;
      const beginning = prefix + (words.at(-1) ?? '');
      const found = await database.all<{ word: string }>(WORDS, [
        beginning,
        beginning + LAST_CHARACTER,
        fewEntries + 1,
      ]);
      if (found.length === 0 || found.length > MOST_WORDS) return term;
      const [first, lastWords] = [words.slice(0, -1), found.map(({ word }) => word.slice(prefix.length))];
      if (lastWords.length === 1) return { words: [...first, ...lastWords], isPrefix: false };
      return { words: first, isPrefix: false, lastWords };
    }),
  );
}
