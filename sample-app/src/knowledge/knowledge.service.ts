import { Injectable, Logger } from '@nestjs/common';
import { IndexesClient, Traced } from '@dacapo/nestjs';
import { getCurrentSpan } from '@dacapo/tracer';

export interface Passage {
  readonly title: string;
  readonly source: string;
  readonly content: string;
}

const PASSAGES = 3;

/** Searches the product documentation in the collector's indexes. */
@Injectable()
export class KnowledgeService {
  private readonly logger = new Logger(KnowledgeService.name);

  constructor(private readonly indexes: IndexesClient) {}

  /** Names of searchable indexes. Empty without a collector, so that tickets are still answered. */
  async names(): Promise<string[]> {
    try {
      return (await this.indexes.list()).map(({ name }) => name);
    } catch (error) {
      this.logger.warn(`Cannot list indexes: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  @Traced('search-knowledge', { type: 'function' })
  async search(indexName: string, query: string): Promise<Passage[]> {
    const index = (await this.indexes.list()).find(({ name }) => name === indexName);
    if (index === undefined) return [];
    getCurrentSpan().addContext({ indexId: index.index_id, indexType: index.type });
    const results = await this.indexes.getContext(index.index_id, query, { limit: PASSAGES });
    return results.map(({ title, source, content }) => ({ title, source, content }));
  }
}
