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
import { type PageRequest, positionOf, takePage } from '../cursor.js';
import type { OldRuns } from '../storage/copy-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import { DeletionRunner } from './deletion-runner.js';
import { filterOf } from './deletion-steps.js';

/** Who asks for a deletion. */
export interface Asker {
  keyId?: string;
  sessionId?: string;
}

const NOTHING = { traces: 0, spans: 0, scores: 0, dataset_items: 0, run_items: 0, accepted_outcomes: 0 };

/** What people ask of deletions. {@link DeletionRunner} does them. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly runner: DeletionRunner,
    private readonly clock: Clock,
  ) {}

  /** Begins a deletion. @throws BadRequestException when it has no condition */
  async create(
    accountId: string,
    { keep_copies: keepCopies, ...scope }: CreateDeletionRequest,
    asker: Asker,
  ): Promise<DeletionRecord> {
    const checked = checkScope(scope);
    return this.add(accountId, {
      ...{ reason: 'request', scope: checked },
      ...(keepCopies && { keep_copies: true }),
      ...(asker.keyId !== undefined && { api_key_id: asker.keyId }),
      ...(asker.sessionId !== undefined && { browser_session_id: asker.sessionId }),
    });
  }

  /** Begins to take away all that an account owned, which nobody can reach any more. */
  async createOfAccount(accountId: string): Promise<DeletionRecord> {
    return this.add(accountId, { reason: 'account', scope: {} });
  }

  /** Begins to take away what a rule of the account says is too old. Copies that were made on purpose stay. */
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

  /** What such a deletion would take away now. @throws BadRequestException when it has no condition */
  async preview(accountId: string, request: CreateDeletionRequest): Promise<DeletionPreview> {
    const scope = { ...request };
    delete scope.keep_copies;
    return this.spans.deletions.count(accountId, filterOf(checkScope(scope)));
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string): Promise<DeletionRecord> {
    const record = await this.meta.deletions.find(accountId, id);
    if (record === undefined) throw new NotFoundException(`Deletion ${id} not found`);
    return record;
  }

  /** The newest first. @throws InvalidCursorError */
  async list(accountId: string, page: PageRequest): Promise<Page<DeletionRecord>> {
    const range = { limit: page.limit + 1, ...positionOf(page, 'time', 'text') };
    const records = await this.meta.deletions.list(accountId, range);
    const { kept, ...next } = takePage(records, page.limit, ({ created_at, id }) => [created_at, id]);
    return { items: kept, ...next };
  }

  private async add(
    accountId: string,
    asked: Pick<DeletionRecord, 'reason' | 'scope' | 'keep_copies' | 'api_key_id' | 'browser_session_id'>,
  ): Promise<DeletionRecord> {
    const record: DeletionRecord = {
      id: randomUUID(),
      ...asked,
      ...{ state: 'waiting', counts: NOTHING, created_at: formatTimestamp(this.clock.nowUs()) },
    };
    await this.meta.deletions.put({ accountId, record, progress: {} });
    this.runner.wake();
    return record;
  }
}

function checkScope(scope: DeletionScope): DeletionScope {
  if (Object.keys(scope).length > 0) return scope;
  throw new BadRequestException(
    'Say what to delete: trace_ids, session_id, user_id, trace_function_key or before. All of an account goes with the account',
  );
}
