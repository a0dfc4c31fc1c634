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
   * Every indexed service of the account.
   *
   * The list changes rarely (SPEC 1): it is kept for five minutes. `refresh: true` asks anew. Calls at one time
   * share one request; a failed one is not kept, and what was fresh before it stays.
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
   * Passages that answer `query`, the best first, each with its headings, source, anchor and line.
   *
   * @param indexId an `index_id` of the list, or up to 20 that are asked together
   * @throws InvalidOptionError when `limit` or `maxTokens` is no whole number from 1 up
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
