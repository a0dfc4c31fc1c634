import {
  type CreateDeletionRequest,
  type DeletionPreview,
  type DeletionRecord,
  type DeletionScope,
  formatTimestamp,
  type Page,
} from '@dacapo/protocol';
import { BadRequestException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { type PageRequest, readPosition, takePage } from '../cursor.js';
import type { OldRuns } from '../storage/ports/copies.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { DeletionRunner } from './deletion-runner.js';
import { toFilter } from './deletion-steps.js';

export interface Requester {
  keyId?: string;
  sessionId?: string;
}

const NO_COUNTS = { traces: 0, spans: 0, scores: 0, dataset_items: 0, run_items: 0, accepted_outcomes: 0 };

/** Creates and lists deletions. {@link DeletionRunner} runs them. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly runner: DeletionRunner,
    private readonly clock: Clock,
  ) {}

  /** @throws BadRequestException when the request has no condition */
  async create(
    accountId: string,
    { keep_copies: keepCopies, ...scope }: CreateDeletionRequest,
    requester: Requester,
  ): Promise<DeletionRecord> {
    return this.add(accountId, {
      reason: 'request',
      scope: checkScope(scope),
      ...(keepCopies && { keep_copies: true }),
      ...(requester.keyId !== undefined && { api_key_id: requester.keyId }),
      ...(requester.sessionId !== undefined && { browser_session_id: requester.sessionId }),
    });
  }

  /** Deletes all data of a deleted account. */
  async createForAccount(accountId: string): Promise<DeletionRecord> {
    return this.add(accountId, { reason: 'account', scope: {} });
  }

  /** Deletes traces that are too old by a retention rule. Dataset items and accepted outcomes stay. */
  async createByRule(
    accountId: string,
    { before, traceFunctionKey: key, exceptKeys = [] }: OldRuns,
  ): Promise<DeletionRecord> {
    const scope = {
      ...(key !== undefined && { trace_function_key: key }),
      before,
      ...(exceptKeys.length > 0 && { except_keys: [...exceptKeys] }),
    };
    return this.add(accountId, { reason: 'retention', scope, keep_copies: true });
  }

  /** Counts what the deletion would delete now. @throws BadRequestException when the request has no condition */
  async preview(accountId: string, request: CreateDeletionRequest): Promise<DeletionPreview> {
    const scope = { ...request };
    delete scope.keep_copies;
    return this.spans.deletions.count(accountId, toFilter(checkScope(scope)));
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string): Promise<DeletionRecord> {
    const record = await this.meta.deletions.find(accountId, id);
    if (record === undefined) throw new NotFoundException(`Deletion ${id} not found`);
    return record;
  }

  /** Newest first. @throws InvalidCursorError */
  async list(accountId: string, page: PageRequest): Promise<Page<DeletionRecord>> {
    const range = { limit: page.limit + 1, ...readPosition(page, 'time', 'text') };
    const records = await this.meta.deletions.list(accountId, range);
    const { kept, ...next } = takePage(records, page.limit, ({ created_at, id }) => [created_at, id]);
    return { items: kept, ...next };
  }

  private async add(
    accountId: string,
    request: Pick<DeletionRecord, 'reason' | 'scope' | 'keep_copies' | 'api_key_id' | 'browser_session_id'>,
  ): Promise<DeletionRecord> {
    const record: DeletionRecord = {
      id: randomUUID(),
      ...request,
      state: 'waiting',
      counts: NO_COUNTS,
      created_at: formatTimestamp(this.clock.nowUs()),
    };
    await this.meta.deletions.put({ accountId, record, progress: {} });
    this.runner.wake();
    return record;
  }
}

function checkScope(scope: DeletionScope): DeletionScope {
  if (Object.keys(scope).length > 0) return scope;
  throw new BadRequestException(
    'Pass what to delete: trace_ids, session_id, user_id, trace_function_key or before. To delete everything, delete the account',
  );
}
