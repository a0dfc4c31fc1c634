import {
  allows,
  type ApiKeySummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  formatTimestamp,
  parseTimestamp,
  type RotatedApiKey,
  type Scope,
  SCOPES,
} from '@dacapo/protocol';
import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import type { NewApiKey } from '../storage/api-key-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { hintOf, newApiKey } from './api-key.js';
import { sha256 } from './secrets.js';

@Injectable()
export class ApiKeyService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
  ) {}

  list(accountId: string): Promise<ApiKeySummary[]> {
    return this.meta.apiKeys.list(accountId);
  }

  /**
   * The answer holds the whole key; it is not kept anywhere.
   *
   * @param givenBy what its maker may do, who gives no more than that: all, when it is the service itself
   * @throws ForbiddenException
   * @throws BadRequestException when it would have expired already
   */
  async create(
    accountId: string,
    request: CreateApiKeyRequest,
    givenBy: readonly Scope[] = SCOPES,
  ): Promise<CreatedApiKey> {
    const { key, created } = this.newKey(accountId, request, givenBy);
    if (created.expires_at !== undefined && created.expires_at <= created.created_at) {
      throw new BadRequestException('expires_at must be a time to come');
    }
    await this.meta.apiKeys.create(key);
    return created;
  }

  /**
   * A key in the place of another, which also works for `overlapS` seconds.
   *
   * @throws NotFoundException when the account has no such key in use
   * @throws ConflictException when another key has taken its place already
   * @throws ForbiddenException as {@link create}
   */
  async rotate(
    accountId: string,
    id: string,
    overlapS: number,
    givenBy: readonly Scope[],
  ): Promise<RotatedApiKey> {
    const nowUs = this.clock.nowUs();
    const old = (await this.list(accountId)).find((key) => key.id === id);
    if (!old || (old.expires_at !== undefined && old.expires_at <= formatTimestamp(nowUs))) {
      throw new NotFoundException(`API key ${id} not found`);
    }
    if (old.replaced_by !== undefined) throw alreadyReplaced(id, old.replaced_by);
    const { key, created } = this.newKey(accountId, successorOf(old, nowUs), givenBy);
    const overlapEnds = formatTimestamp(nowUs + overlapS * 1e6);
    if (!(await this.meta.apiKeys.replace(id, key, overlapEnds))) throw alreadyReplaced(id);
    const { expires_at: ends = overlapEnds } = old;
    return { ...created, replaces: { id, expires_at: ends < overlapEnds ? ends : overlapEnds } };
  }

  /** @throws NotFoundException when the account has no such key in use */
  async revoke(accountId: string, id: string): Promise<void> {
    const revokedAt = formatTimestamp(this.clock.nowUs());
    if (!(await this.meta.apiKeys.revoke(accountId, id, revokedAt))) {
      throw new NotFoundException(`API key ${id} not found`);
    }
  }

  private newKey(
    accountId: string,
    { name, scopes = ['ingest'], expires_at, requests_per_minute }: CreateApiKeyRequest,
    givenBy: readonly Scope[],
  ): { key: NewApiKey; created: CreatedApiKey } {
    const beyond = scopes.filter((scope) => !allows(givenBy, scope));
    if (beyond.length > 0) {
      throw new ForbiddenException(
        `Nobody gives more than he has: ${beyond.join(', ')}. Make this key with one that has every scope that it shall have`,
      );
    }
    const apiKey = newApiKey();
    const [id, hint, createdAt] = [randomUUID(), hintOf(apiKey), formatTimestamp(this.clock.nowUs())];
    return {
      key: {
        ...{ id, accountId, name, hint, hash: sha256(apiKey), scopes, createdAt },
        ...(expires_at !== undefined && { expiresAt: expires_at }),
        ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
      },
      created: {
        ...{ id, name, hint, scopes, created_at: createdAt },
        ...(expires_at !== undefined && { expires_at }),
        ...(requests_per_minute !== undefined && { requests_per_minute }),
        api_key: apiKey,
      },
    };
  }
}

/** As the old one, and with as long a life. */
function successorOf(old: ApiKeySummary, nowUs: number): CreateApiKeyRequest {
  const { name, scopes, requests_per_minute } = old;
  const [createdUs, expiresUs] = [parseTimestamp(old.created_at), parseTimestamp(old.expires_at ?? '')];
  const lifeUs = createdUs === undefined || expiresUs === undefined ? undefined : expiresUs - createdUs;
  return {
    ...{ name, scopes },
    ...(requests_per_minute !== undefined && { requests_per_minute }),
    ...(lifeUs !== undefined && { expires_at: formatTimestamp(nowUs + lifeUs) }),
  };
}

function alreadyReplaced(id: string, successor?: string): ConflictException {
  const by = successor === undefined ? 'another key' : `the key ${successor}`;
  return new ConflictException(`API key ${id} was rotated already: ${by} takes its place. Rotate that one`);
}
