import type { ContextResult, IndexDetail, IndexedService } from '@dacapo/protocol';
import type { IndexedDocument, IndexStore, Section } from '../../index-store.js';

type StoredIndex = IndexedService & { createdAt: string; documents: Map<string, IndexedDocument> };

/** How much more a word in a heading says. */
const TITLE_WEIGHT = 4;

/** Ranks by how often the words of a query are in a section. */
export class MemoryIndexStore implements IndexStore {
  /** By account and id. */
  private readonly accounts = new Map<string, Map<string, StoredIndex>>();

  create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void> {
    const indexes = this.accounts.get(accountId) ?? new Map<string, StoredIndex>();
    this.accounts.set(accountId, indexes.set(index.index_id, { ...index, documents: new Map() }));
    return Promise.resolve();
  }

  list(accountId: string): Promise<IndexDetail[]> {
    return Promise.resolve(Array.from(this.accounts.get(accountId)?.values() ?? [], toDetail));
  }

  find(accountId: string, indexId: string): Promise<IndexDetail | undefined> {
    const index = this.accounts.get(accountId)?.get(indexId);
    return Promise.resolve(index && toDetail(index));
  }

  delete(accountId: string, indexId: string): Promise<boolean> {
    return Promise.resolve(this.accounts.get(accountId)?.delete(indexId) ?? false);
  }

  putDocument(accountId: string, indexId: string, document: IndexedDocument): Promise<'added' | 'unchanged'> {
    const documents = this.accounts.get(accountId)?.get(indexId)?.documents;
    const known = documents?.get(document.source);
    if (known && Buffer.from(known.hash).equals(document.hash)) return Promise.resolve('unchanged');
    documents?.set(document.source, document);
    return Promise.resolve('added');
  }

  search(accountId: string, indexId: string, query: string, limit: number): Promise<ContextResult[]> {
    const documents = this.accounts.get(accountId)?.get(indexId)?.documents.values() ?? [];
    const phrases = query
      .split(/\s+/)
      .map(wordsOf)
      .filter((words) => words.length > 0);
    const results = [...documents].flatMap(({ source, sections }) =>
      sections.map((section) => ({ ...section, source, score: scoreOf(section, phrases) })),
    );
    return Promise.resolve(
      results
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score)
        .slice(0, limit),
    );
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }
}

function toDetail({ name, index_id, type, createdAt, documents }: StoredIndex): IndexDetail {
  return { name, index_id, type, document_count: documents.size, created_at: createdAt };
}

function scoreOf({ title, content }: Section, phrases: string[][]): number {
  const [titleWords, contentWords] = [wordsOf(title), wordsOf(content)];
  return phrases.reduce(
    (score, phrase) => score + TITLE_WEIGHT * count(phrase, titleWords) + count(phrase, contentWords),
    0,
  );
}

/** How often the words of the phrase follow one another. */
function count(phrase: string[], words: string[]): number {
  return words.filter((_, start) => phrase.every((word, index) => words[start + index] === word)).length;
}

/** In lower case, without the endings that English has most. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.replace(/(?<=\w{3})(ing|ed|s)$/, ''));
}
