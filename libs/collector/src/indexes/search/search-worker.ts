import { serveCalls } from '../workers/serve-calls.js';
import { RankedIndex, type RankedSection, type SearchedSection } from './ranked-index.js';

/** Calls that the thread answers. Indexes are named by a key. */
export interface SearchCalls {
  change: { key: string; removed: number[]; added: SearchedSection[] };
  search: { key: string; query: string; limit: number };
  drop: { key: string };
}

/** What a change comes to. */
export interface IndexSize {
  bytes: number;
  /** Of its sections, how many are kept for nothing, from 0 to 1. */
  waste: number;
}

const indexes = new Map<string, RankedIndex>();

serveCalls({
  change({ key, removed, added }: SearchCalls['change']): IndexSize {
    const index = indexes.get(key) ?? new RankedIndex();
    indexes.set(key, index);
    for (const documentNo of removed) index.removeDocument(documentNo);
    for (const section of added) index.add(section);
    return { bytes: index.bytes, waste: index.waste };
  },
  search({ key, query, limit }: SearchCalls['search']): RankedSection[] {
    return indexes.get(key)?.search(query, limit) ?? [];
  },
  drop({ key }: SearchCalls['drop']): void {
    indexes.delete(key);
  },
});
