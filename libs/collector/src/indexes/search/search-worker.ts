import { serveCalls } from '../workers/serve-calls.js';
import type { SectionVector } from '../../storage/index-store.js';
import type { RankedSection, SearchedSection } from './ranked-index.js';
import { SearchIndex, type SearchOptions } from './search-index.js';

/** Calls that the thread answers. Indexes are named by a key. */
export interface SearchCalls {
  change: { key: string; removed: number[]; added: SearchedSection[]; vectors: SectionVector[] };
  search: { key: string; query: string; limit: number; options: SearchOptions };
  drop: { key: string };
}

/** What a change comes to. */
export interface IndexSize {
  bytes: number;
  /** Of its sections, how many are kept for nothing, from 0 to 1. */
  waste: number;
}

const indexes = new Map<string, SearchIndex>();

serveCalls({
  change({ key, removed, added, vectors }: SearchCalls['change']): IndexSize {
    const index = indexes.get(key) ?? new SearchIndex();
    indexes.set(key, index);
    for (const documentNo of removed) index.removeDocument(documentNo);
    for (const section of added) index.add(section);
    for (const made of vectors) index.addVector(made);
    return { bytes: index.bytes, waste: index.waste };
  },
  search({ key, query, limit, options }: SearchCalls['search']): RankedSection[] {
    return indexes.get(key)?.search(query, limit, options) ?? [];
  },
  drop({ key }: SearchCalls['drop']): void {
    indexes.delete(key);
  },
});
