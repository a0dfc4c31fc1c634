import {
  type CreatedShareLink,
  type CreateShareLinkRequest,
  DEFAULT_SHARE_LIFE_S,
  formatTimestamp,
  LIMITS,
  type Member,
  ProtocolError,
  SHARED_PAGES,
  type ShareLinkSummary,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { newSecret, sha256 } from '../accounts/secrets.js';
import { Clock } from '../clock.js';
import { TestRunService } from '../runs/test-run-service.js';
import { ServiceAddress } from '../service-address.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { SharedId } from '../storage/meta/share-links.js';
import { TraceService } from '../traces/trace-service.js';

/** Creates, lists and revokes share links. */
@Injectable()
export class ShareLinkService {
  constructor(
    private readonly meta: MetaStore,
    private readonly traces: TraceService,
    private readonly runs: TestRunService,
    private readonly address: ServiceAddress,
    private readonly clock: Clock,
  ) {}

  list(accountId: string): Promise<ShareLinkSummary[]> {
    return this.meta.shareLinks.list(accountId, this.after(0));
  }

  /**
   * Only this answer has the whole link; the store has the hash of its secret.
   *
   * @throws ProtocolError unless the request names a trace or a run
   * @throws NotFoundException when the account has no such trace or run
   * @throws ConflictException when the account has `LIMITS.shareLinks`
   */
  async create(
    accountId: string,
    request: CreateShareLinkRequest,
    member: Member | undefined,
  ): Promise<CreatedShareLink> {
    const { payloads = false, expires_in_s: lifeS = DEFAULT_SHARE_LIFE_S } = request;
    const of = await this.find(accountId, request);
    const secret = newSecret();
    const link = {
      id: randomUUID(),
      accountId,
      of,
      payloads,
      ...(member && { createdBy: member.name }),
      createdAt: this.after(0),
      expiresAt: this.after(lifeS),
    };
    const outcome = await this.meta.shareLinks.create(sha256(secret), link, LIMITS.shareLinks);
    if (outcome === 'deleted') throw new NotFoundException('The trace was deleted');
    if (outcome === 'too_many') {
      throw new ConflictException(
        `An account has at most ${LIMITS.shareLinks} share links. Revoke one first`,
      );
    }
    return {
      id: link.id,
      ...('traceId' in of ? { trace_id: of.traceId } : { test_run_id: of.testRunId }),
      payloads,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
      ...(member && { created_by: member.name }),
      link: `${this.address.url}${SHARED_PAGES}${secret}`,
    };
  }

  /** @throws NotFoundException when the account has no such link */
  async revoke(accountId: string, id: string): Promise<void> {
    if (!(await this.meta.shareLinks.delete(accountId, id))) {
      throw new NotFoundException(`Share link ${id} not found`);
    }
  }

  private async find(
    accountId: string,
    { trace_id: traceId, test_run_id: testRunId }: CreateShareLinkRequest,
  ): Promise<SharedId> {
    if (traceId !== undefined && testRunId === undefined) {
      await this.traces.get(accountId, traceId, { limit: 1 });
      return { traceId };
    }
    if (testRunId !== undefined && traceId === undefined) {
      await this.runs.get(accountId, testRunId);
      return { testRunId };
    }
    throw new ProtocolError('trace_id', 'or test_run_id is required, and not both');
  }

  private after(seconds: number): string {
    return formatTimestamp(this.clock.nowUs() + seconds * 1e6);
  }
}
