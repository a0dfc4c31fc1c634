import {
  type RankedSection,
  type SearchedSection,
  SearchIndex,
  type SearchOptions,
  type SectionVector,
} from '@dacapo/indexes';
import { serveCalls } from '../../workers/serve-calls.js';

/** The calls that the thread answers. `key` identifies the index. */
export interface SearchCalls {
  change: { key: string; removed: number[]; added: SearchedSection[]; vectors: SectionVector[] };
  search: { key: string; query: string; limit: number; options: SearchOptions };
  drop: { key: string };
}

export interface IndexSize {
  bytes: number;
  /** The share of removed sections, from 0 to 1. */
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
