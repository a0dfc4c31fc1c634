import type { Passage, SearchOptions, StoredSection } from '@dacapo/indexes';
import type { ContextResult, GetContextData, GetContextRequest } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { MetaStore } from '../storage/meta/meta-store.js';
import { Embeddings, type QueryMeaning } from './embeddings/embeddings.js';
import { IndexSearcher } from './search/index-searcher.js';

interface Search {
  query: string;
  limit: number;
  options: SearchOptions;
}

interface Found {
  indexId: string;
  passages: Passage[];
  withoutVector: number;
}

/** Answers get-context. */
@Injectable()
export class ContextService {
  constructor(
    private readonly meta: MetaStore,
    private readonly searcher: IndexSearcher,
    private readonly embeddings: Embeddings,
  ) {}

  /** @throws NotFoundException when one of the indexes does not exist */
  async find(accountId: string, request: GetContextRequest & { limit: number }): Promise<GetContextData> {
    const { index_id, index_ids = [], query, limit, language } = request;
    const indexIds = index_id === undefined ? index_ids : [index_id];
    const meaning = await this.embeddings.embedQuery(query);
    const options: SearchOptions = {
      ...(meaning && 'vector' in meaning && { vector: meaning.vector }),
      ...(language !== undefined && { language }),
    };
    const search: Search = { query, limit, options };
    const found = await Promise.all(indexIds.map((indexId) => this.rank(accountId, indexId, search)));
    const passages = found
      .flatMap(({ passages }) => passages)
      .sort((left, right) => right.score - left.score);
    // Loaded on use, because the package brings an HTML parser.
    const { choosePassages } = await import('@dacapo/indexes');
    const chosen = await choosePassages(passages, request, ({ indexId, section }) =>
      this.meta.indexes.sections(accountId, indexId, { documentNos: [section.document_no] }),
    );
    const notes = describeProblems(meaning, found);
    return {
      ...(index_id !== undefined && { index_id }),
      results: chosen.map(toResult),
      ...(notes.length > 0 && { notes }),
    };
  }

  private async rank(accountId: string, indexId: string, { query, limit, options }: Search): Promise<Found> {
    const found = await this.searcher.search(accountId, indexId, query, limit, options);
    if (found === undefined) throw new NotFoundException(`Index ${indexId} not found`);
    const sectionNos = found.ranked.map(({ section_no }) => section_no);
    const stored = await this.meta.indexes.sections(accountId, indexId, { sectionNos });
    const sections = new Map(stored.map((section) => [section.section_no, section]));
    const passages = found.ranked.flatMap(({ section_no, score }) => {
      const section = sections.get(section_no);
      return section ? [{ indexId, section, score, content: section.content }] : [];
    });
    return { indexId, passages, withoutVector: found.withoutVector };
  }
}

/** The reason why the embedder failed is only in the service's log. */
function describeProblems(meaning: QueryMeaning | undefined, found: readonly Found[]): string[] {
  if (meaning === undefined) return [];
  if ('problem' in meaning) return [`${meaning.problem}: passages were found only by their words.`];
  return found
    .filter(({ withoutVector }) => withoutVector > 0)
    .map(
      ({ indexId, withoutVector }) =>
        `Passages of ${indexId} without a vector yet, found only by their words: ${withoutVector}.`,
    );
}

function toResult({ indexId, section, score, content }: Passage): ContextResult {
  const { title, source, anchor, line }: StoredSection = section;
  return {
    title,
    heading_path: title.split(' › '),
    index_id: indexId,
    source,
    ...(anchor !== undefined && { anchor }),
    ...(line !== undefined && { line }),
    content,
    score,
  };
}
