import type { ContextResult, GetContextData, GetContextRequest } from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import type { StoredSection } from '../storage/index-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { choosePassages, type Passage } from './passages/choose-passages.js';
import { IndexSearcher } from './search/index-searcher.js';

/** What get-context gives for a query. */
@Injectable()
export class ContextService {
  constructor(
    private readonly meta: MetaStore,
    private readonly searcher: IndexSearcher,
  ) {}

  /** @throws NotFoundException when one of the indexes is not there */
  async find(accountId: string, request: GetContextRequest & { limit: number }): Promise<GetContextData> {
    const { index_id, index_ids = [], query, limit } = request;
    const indexIds = index_id === undefined ? index_ids : [index_id];
    const ranked = await Promise.all(indexIds.map((indexId) => this.rank(accountId, indexId, query, limit)));
    const passages = ranked.flat().sort((left, right) => right.score - left.score);
    const chosen = await choosePassages(passages, request, ({ indexId, section }) =>
      this.meta.indexes.sections(accountId, indexId, { documentNos: [section.document_no] }),
    );
    return { ...(index_id !== undefined && { index_id }), results: chosen.map(toResult) };
  }

  private async rank(accountId: string, indexId: string, query: string, limit: number): Promise<Passage[]> {
    const ranked = await this.searcher.search(accountId, indexId, query, limit);
    if (ranked === undefined) throw new NotFoundException(`Index ${indexId} not found`);
    const sectionNos = ranked.map(({ section_no }) => section_no);
    const stored = await this.meta.indexes.sections(accountId, indexId, { sectionNos });
    const sections = new Map(stored.map((section) => [section.section_no, section]));
    return ranked.flatMap(({ section_no, score }) => {
      const section = sections.get(section_no);
      return section ? [{ indexId, section, score, content: section.content }] : [];
    });
  }
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
