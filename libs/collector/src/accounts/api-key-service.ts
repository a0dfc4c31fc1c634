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
import type { NewApiKey } from '../storage/meta/api-keys.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { keyHint, newApiKey } from './api-key.js';
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
   * Only this answer has the whole key; the store has its hash.
   *
   * @throws ForbiddenException when the caller lacks one of the scopes
   * @throws BadRequestException when `expires_at` has passed
   */
  async create(
    accountId: string,
    request: CreateApiKeyRequest,
    callerScopes: readonly Scope[] = SCOPES,
  ): Promise<CreatedApiKey> {
    const { key, created } = this.newKey(accountId, request, callerScopes);
    if (created.expires_at !== undefined && created.expires_at <= created.created_at) {
      throw new BadRequestException('expires_at must be in the future');
    }
    await this.meta.apiKeys.create(key);
    return created;
  }

  /**
   * Replaces a key by one with the same name, scopes, limit and lifetime. The old key works for `overlapS` seconds more.
   *
   * @throws NotFoundException when the account has no such active key
   * @throws ConflictException when the key was replaced before
   * @throws ForbiddenException when the caller lacks one of the scopes
   */
  async rotate(
    accountId: string,
    id: string,
    overlapS: number,
    callerScopes: readonly Scope[],
  ): Promise<RotatedApiKey> {
    const nowUs = this.clock.nowUs();
    const old = (await this.list(accountId)).find((key) => key.id === id);
    if (!old || (old.expires_at !== undefined && old.expires_at <= formatTimestamp(nowUs))) {
      throw new NotFoundException(`API key ${id} not found`);
    }
    if (old.replaced_by !== undefined) throw alreadyReplaced(id, old.replaced_by);
    const { key, created } = this.newKey(accountId, successorRequest(old, nowUs), callerScopes);
    const overlapEnds = formatTimestamp(nowUs + overlapS * 1e6);
    if (!(await this.meta.apiKeys.replace(id, key, overlapEnds))) throw alreadyReplaced(id);
    const { expires_at: ends = overlapEnds } = old;
    return { ...created, replaces: { id, expires_at: ends < overlapEnds ? ends : overlapEnds } };
  }

  /** @throws NotFoundException when the account has no such active key */
  async revoke(accountId: string, id: string): Promise<void> {
    const revokedAt = formatTimestamp(this.clock.nowUs());
    if (!(await this.meta.apiKeys.revoke(accountId, id, revokedAt))) {
      throw new NotFoundException(`API key ${id} not found`);
    }
  }

  private newKey(
    accountId: string,
    { name, scopes = ['ingest'], expires_at, requests_per_minute }: CreateApiKeyRequest,
    callerScopes: readonly Scope[],
  ): { key: NewApiKey; created: CreatedApiKey } {
    const beyond = scopes.filter((scope) => !allows(callerScopes, scope));
    if (beyond.length > 0) {
      throw new ForbiddenException(
        `You cannot grant ${beyond.length === 1 ? 'the scope' : 'the scopes'} ${beyond.join(', ')}, which you lack. Create the key with a key that has them`,
      );
    }
    const apiKey = newApiKey();
    const key = {
      id: randomUUID(),
      accountId,
      name,
      hint: keyHint(apiKey),
      hash: sha256(apiKey),
      scopes,
      createdAt: formatTimestamp(this.clock.nowUs()),
      ...(expires_at !== undefined && { expiresAt: expires_at }),
      ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
    };
    return {
      key,
      created: {
        id: key.id,
        name,
        hint: key.hint,
        scopes,
        created_at: key.createdAt,
        ...(expires_at !== undefined && { expires_at }),
        ...(requests_per_minute !== undefined && { requests_per_minute }),
        api_key: apiKey,
      },
    };
  }
}

function successorRequest(old: ApiKeySummary, nowUs: number): CreateApiKeyRequest {
  const { name, scopes, requests_per_minute } = old;
  const [createdUs, expiresUs] = [parseTimestamp(old.created_at), parseTimestamp(old.expires_at ?? '')];
  const lifetimeUs = createdUs === undefined || expiresUs === undefined ? undefined : expiresUs - createdUs;
  return {
    name,
    scopes,
    ...(requests_per_minute !== undefined && { requests_per_minute }),
    ...(lifetimeUs !== undefined && { expires_at: formatTimestamp(nowUs + lifetimeUs) }),
  };
}

function alreadyReplaced(id: string, successor?: string): ConflictException {
  const by = successor === undefined ? 'another key' : `the key ${successor}`;
  return new ConflictException(`API key ${id} was already rotated: ${by} replaced it. Rotate that one`);
}
