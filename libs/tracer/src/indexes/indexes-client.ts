import {
  type ContextExpansion,
  type ContextResult,
  type Envelope,
  type GetContextData,
  type GetContextRequest,
  type IndexedService,
  type ListIndexesData,
  ROUTES,
} from '@dacapo/protocol';
import { realEpochMs } from '../context/clock.js';
import { InvalidOptionError } from '../errors.js';
import type { ServiceClient } from '../service/service-client.js';

const FRESH_FOR_MS = 5 * 60_000;

interface CachedList {
  readonly indexes: Promise<IndexedService[]>;
  readonly atMs: number;
}

/** What {@link IndexesClient.getContext} gives. */
export interface GetContextOptions {
  /** Passages at most, 1 to 50; 5 when absent, 50 beside `maxTokens`. */
  limit?: number;
  /** About how many tokens the passages may have together, 1 to 100,000. The first comes in any case. */
  maxTokens?: number;
  /** What comes with each passage: the sections before and after it, or its whole page, as far as the budget lasts. */
  expand?: ContextExpansion;
  /** Such as `python`, `ts` or `C#`: passages whose code is in other programming languages alone are left out. */
  language?: string;
}

/** The catalogue of indexed services, and context from them (SPEC 4.1). */
export class IndexesClient {
  private cached: CachedList | undefined;

  constructor(
    private readonly service: () => ServiceClient,
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
    const request: GetContextRequest = {
      ...(typeof indexId === 'string' ? { index_id: indexId } : { index_ids: [...indexId] }),
      query,
      ...(options.limit !== undefined && { limit: count('limit', options.limit) }),
      ...(options.maxTokens !== undefined && { max_tokens: count('maxTokens', options.maxTokens) }),
      ...(options.expand !== undefined && { expand: options.expand }),
      ...(options.language !== undefined && { language: options.language }),
    };
    const { data } = await this.service().post<Envelope<GetContextData>>(
      ROUTES.getContext,
      request,
      'data.results',
    );
    return data.results;
  }

  private async fetchList(before: CachedList | undefined): Promise<IndexedService[]> {
    try {
      const { data } = await this.service().get<Envelope<ListIndexesData>>(
        ROUTES.listIndexes,
        'data.indexes',
      );
      return data.indexes;
    } catch (error) {
      this.cached = before;
      throw error;
    }
  }
}

/** JSON would make `null` of NaN, which counts as absent. */
function count(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidOptionError(
    option,
    `must be a whole number from 1 up, not ${value}`,
    'Leave it out for the default.',
  );
}
