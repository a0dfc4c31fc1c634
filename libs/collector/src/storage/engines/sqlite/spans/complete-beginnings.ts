import type { TextQuery, TextTerm } from '../../../rules/text-query.js';
import type { Reader } from '../connection.js';

/** A term whose last word is one of several: the indexed words with the requested beginning. */
export interface CompletedTerm extends TextTerm {
  lastWords?: readonly string[];
}

/** Maximum of words that replace a beginning. Each needs an index lookup. */
const MOST_WORDS = 16;

/** With at most this many entries, reading a beginning costs no more than reading its words. */
const FEW_ENTRIES = 2_000;

/**
 * Walks from each word to the next, skipping all entries of a word: no word contains a lower character than the one after it. Both ends of
 * the range start with the prefix of the account's words.
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
 * Replaces beginnings by their words, if these are few and common. FTS5 reads a beginning over the whole index each time, but looks up a
 * word only where it is needed.
 *
 * @param prefix starts the account's words
 * @param fewEntries keeps a beginning whose words have at most this many entries in the index
 * @returns a query that also keeps beginnings of too many words
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
