import {
  formatTimestamp,
  type Page,
  type SharedObject,
  type SpanDetail,
  type TestRunItemRecord,
  type TestRunItemSummary,
  type TestRunRecord,
  type TraceDetail,
} from '@dacapo/protocol';
import { HttpException, HttpStatus, Injectable, NotFoundException } from '@nestjs/common';
import { AuditLog } from '../accounts/audit-log.js';
import { sha256 } from '../accounts/secrets.js';
import { Clock } from '../clock.js';
import type { PageRequest } from '../cursor.js';
import { MediaService } from '../media/media-service.js';
import { TestRunItemService } from '../runs/test-run-item-service.js';
import { TestRunService } from '../runs/test-run-service.js';
import { RateLimits } from '../storage/coordination/rate-limits.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { StoredShareLink } from '../storage/meta/share-links.js';
import type { StoredMedia } from '../storage/meta/media.js';
import { TraceService } from '../traces/trace-service.js';
import { showItem, showItemSummary, showRun, showSpan, showTrace } from './shown.js';

/** Requests of one link, and failed ones of all callers together. */
const REQUESTS_PER_MINUTE = 1200;
const FAILURES_PER_MINUTE = 600;
const FAILURES = 'share links that were not found';

const AUDIT_INTERVAL_US = 3600 * 1e6;

/** Reads what a share link shows. Every failure answers the same, so that it reveals nothing about other links. */
@Injectable()
export class SharedReader {
  constructor(
    private readonly meta: MetaStore,
    private readonly traces: TraceService,
    private readonly runs: TestRunService,
    private readonly items: TestRunItemService,
    private readonly media: MediaService,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What the link shows. Notes in the audit log that it was opened. */
  async open(secret: string): Promise<SharedObject> {
    const link = await this.find(secret);
    const { id, accountId, of } = link;
    if ('traceId' in of) await this.read(() => this.traces.get(accountId, of.traceId, { limit: 1 }));
    else await this.read(() => this.runs.get(accountId, of.testRunId));
    const nowUs = this.clock.nowUs();
    const [now, hourAgo] = [formatTimestamp(nowUs), formatTimestamp(nowUs - AUDIT_INTERVAL_US)];
    if (await this.meta.shareLinks.markOpened(id, now, hourAgo))
      await this.audit.note(accountId, { action: 'share_link.open', object: id });
    return {
      ...('traceId' in of ? { trace_id: of.traceId } : { test_run_id: of.testRunId }),
      payloads: link.payloads,
      expires_at: link.expiresAt,
    };
  }

  async getTrace(secret: string, traceId: string, page: PageRequest): Promise<TraceDetail> {
    const link = await this.findTraceLink(secret, traceId);
    return showTrace(await this.read(() => this.traces.get(link.accountId, traceId, page)), link);
  }

  async getSpan(secret: string, traceId: string, spanId: string): Promise<SpanDetail> {
    const link = await this.findTraceLink(secret, traceId);
    requirePayloads(link);
    return showSpan(await this.read(() => this.traces.getSpan(link.accountId, traceId, spanId)));
  }

  async getMedia(secret: string, id: string): Promise<Required<StoredMedia>> {
    const link = await this.find(secret);
    const { accountId, of } = link;
    requirePayloads(link);
    const used = 'traceId' in of ? await this.meta.media.list(accountId, [of.traceId]) : [];
    if (used.every((one) => one.id !== id)) throw notFound();
    return this.read(() => this.media.get(accountId, id));
  }

  async getRun(secret: string, runId: string): Promise<TestRunRecord> {
    const link = await this.findRunLink(secret, runId);
    return showRun(await this.read(() => this.runs.get(link.accountId, runId)), link);
  }

  async listItems(secret: string, runId: string, page: PageRequest): Promise<Page<TestRunItemSummary>> {
    const link = await this.findRunLink(secret, runId);
    const { items, ...next } = await this.read(() => this.items.list(link.accountId, runId, {}, page));
    return { items: items.map((item) => showItemSummary(item, link)), ...next };
  }

  async getItem(
    secret: string,
    runId: string,
    itemNo: number,
    repetition: number,
  ): Promise<TestRunItemRecord> {
    const link = await this.findRunLink(secret, runId);
    requirePayloads(link);
    return showItem(await this.read(() => this.items.get(link.accountId, runId, itemNo, repetition)));
  }

  private async findTraceLink(secret: string, traceId: string): Promise<StoredShareLink> {
    const link = await this.find(secret);
    if ('traceId' in link.of && link.of.traceId === traceId) return link;
    throw notFound();
  }

  private async findRunLink(secret: string, runId: string): Promise<StoredShareLink> {
    const link = await this.find(secret);
    if ('testRunId' in link.of && link.of.testRunId === runId) return link;
    throw notFound();
  }

  /** @throws HttpException when there is no such link, or too many requests */
  private async find(secret: string): Promise<StoredShareLink> {
    const nowUs = this.clock.nowUs();
    const link = await this.meta.shareLinks.find(sha256(secret), formatTimestamp(nowUs));
    const waitS = link
      ? await this.limits.take(`share link ${link.id}`, REQUESTS_PER_MINUTE, nowUs)
      : await this.limits.take(FAILURES, FAILURES_PER_MINUTE, nowUs);
    if (waitS > 0) {
      const detail = `Too many requests. Try again in ${waitS} s`;
      throw new HttpException(detail, HttpStatus.TOO_MANY_REQUESTS);
    }
    if (link === undefined) throw notFound();
    return link;
  }

  /** The errors of the account's own routes name what was deleted. */
  private async read<T>(get: () => Promise<T>): Promise<T> {
    try {
      return await get();
    } catch (error) {
      throw error instanceof NotFoundException ? notFound() : error;
    }
  }
}

function requirePayloads({ payloads }: StoredShareLink): void {
  if (!payloads) throw notFound();
}

function notFound(): NotFoundException {
  return new NotFoundException('This link does not show this, has expired or was revoked');
}
