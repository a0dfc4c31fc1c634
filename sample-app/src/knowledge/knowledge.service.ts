import { Injectable, Logger } from '@nestjs/common';
import { IndexesClient, Traced } from '@dacapo/nestjs';
import { getCurrentSpan } from '@dacapo/tracer';

export interface Passage {
  readonly title: string;
  readonly source: string;
  readonly content: string;
}

const PASSAGES = 3;

/** The documentation of the lamps, as the indexes of the collector hold it. */
@Injectable()
export class KnowledgeService {
  private readonly logger = new Logger(KnowledgeService.name);

  constructor(private readonly indexes: IndexesClient) {}

  /** Names of what can be searched; none when the collector is away: tickets are answered without. */
  async names(): Promise<string[]> {
    try {
      return (await this.indexes.list()).map(({ name }) => name);
    } catch (error) {
      this.logger.warn(`No index can be searched: ${error instanceof Error ? error.message : String(error)}`);
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
