import type { ContextResult, IndexedService } from '@dacapo/protocol';
import { realEpochMs } from '../context/clock.js';
import type { ServiceClient } from '../service/service-client.js';
import type { GetContextOptions } from './context-request.js';

const FRESH_FOR_MS = 5 * 60_000;

interface CachedList {
  readonly indexes: Promise<IndexedService[]>;
  readonly atMs: number;
}

/** The catalogue of indexed services, and context from them (SPEC 4.1). */
export class IndexesClient {
  private cached: CachedList | undefined;

  constructor(
    private readonly service: () => Promise<ServiceClient>,
    private readonly nowMs: () => number = realEpochMs,
  ) {}

  /**
   * Returns every indexed service of the account.
   *
   * The list changes rarely (SPEC 1), so it is cached for five minutes; `refresh: true` reloads it. Concurrent calls share one request. A
   * failed request is not cached, and a list that is still fresh stays cached.
   *
   * @throws ServiceResponseError, ServiceUnreachableError, TracingDisabledError
   */
  async list(options: { refresh?: boolean } = {}): Promise<IndexedService[]> {
    const isFresh = this.cached !== undefined && this.nowMs() - this.cached.atMs < FRESH_FOR_MS;
    if (this.cached === undefined || !isFresh || options.refresh === true) {
      const before = isFresh ? this.cached : undefined;
      this.cached = { indexes: this.fetchList(before), atMs: this.nowMs() };
    }
    return (await this.cached.indexes).map((index) => ({ ...index }));
  }

  /**
   * Returns passages that answer `query`, best first, each with its headings, source, anchor and line.
   *
   * @param indexId an `index_id` of the list, or up to 20 to search together
   * @throws InvalidOptionError when `limit` or `maxTokens` is not a whole number of at least 1
   * @throws ServiceResponseError (404 for an unknown index), ServiceUnreachableError, TracingDisabledError
   */
  async getContext(
    indexId: string | readonly string[],
    query: string,
    options: GetContextOptions = {},
  ): Promise<ContextResult[]> {
    const { toContextRequest } = await import('./context-request.js');
    const { developer } = await (await this.service()).api();
    return (await developer.getContext(toContextRequest(indexId, query, options))).data.results;
  }

  private async fetchList(before: CachedList | undefined): Promise<IndexedService[]> {
    try {
      const { developer } = await (await this.service()).api();
      return (await developer.listIndexes()).data.indexes;
    } catch (error) {
      this.cached = before;
      throw error;
    }
  }
}
