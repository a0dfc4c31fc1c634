import {
  type ContextResult,
  type Envelope,
  type GetContextData,
  type IndexedService,
  type ListIndexesData,
  ROUTES,
} from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

const FRESH_FOR_MS = 5 * 60_000;

/** The catalogue of indexed services, and context from them (SPEC 4.1). */
export class IndexesClient {
  private cached: { readonly indexes: Promise<IndexedService[]>; readonly atMs: number } | undefined;

  constructor(
    private readonly service: () => ServiceClient,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /**
   * Every indexed service of the account.
   *
   * The list changes rarely (SPEC 1): it is kept for five minutes. `refresh: true` asks anew. Calls at one time
   * share one request; a failed one is not kept.
   *
   * @throws ServiceResponseError, ServiceUnreachableError, TracingDisabledError
   */
  async list(options: { refresh?: boolean } = {}): Promise<IndexedService[]> {
    const isFresh = this.cached !== undefined && this.nowMs() - this.cached.atMs < FRESH_FOR_MS;
    if (!isFresh || options.refresh === true) this.cached = { indexes: this.fetchList(), atMs: this.nowMs() };
    const { indexes } = this.cached as NonNullable<typeof this.cached>;
    return (await indexes).map((index) => ({ ...index }));
  }

  /**
   * Passages of one index that answer `query`, the best first.
   *
   * @param indexId an `index_id` of the list
   * @param options.limit 1 to 50; default 5
   * @throws ServiceResponseError (404 for an unknown index), ServiceUnreachableError, TracingDisabledError
   */
  async getContext(
    indexId: string,
    query: string,
    options: { limit?: number } = {},
  ): Promise<ContextResult[]> {
    const request = {
      index_id: indexId,
      query,
      ...(options.limit !== undefined && { limit: options.limit }),
    };
    const { data } = await this.service().post<Envelope<GetContextData>>(
      ROUTES.getContext,
      request,
      'data.results',
    );
    return data.results;
  }

  private async fetchList(): Promise<IndexedService[]> {
    try {
      const { data } = await this.service().get<Envelope<ListIndexesData>>(
        ROUTES.listIndexes,
        'data.indexes',
      );
      return data.indexes;
    } catch (error) {
      this.cached = undefined;
      throw error;
    }
  }
}
