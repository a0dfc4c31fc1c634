import type { Migration } from './migration.js';

/** A view of the index of texts, by word; it stores nothing. */
export const wordsOfTexts: Migration = {
  id: 37,
  name: 'words-of-texts',
  statements: [`CREATE VIRTUAL TABLE span_words USING fts5vocab('span_text', 'instance')`],
};
