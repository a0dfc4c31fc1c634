import {
  type ApiKeySummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  DEFAULT_OVERLAP_S,
  type Fields,
  LONGEST_OVERLAP_S,
  MOST_REQUESTS_PER_MINUTE,
  type RotatedApiKey,
  ROUTES,
  SCOPES,
} from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiKeyService } from '../../accounts/api-key-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeyService) {}

  @Get(ROUTES.apiKeys)
  @Needs('manage')
  async list(@Caller() accountId: string): Promise<{ items: ApiKeySummary[] }> {
    return { items: await this.apiKeys.list(accountId) };
  }

  @Post(ROUTES.apiKeys)
  @Audited('api_key.create')
  @Needs('manage')
  create(@Identity() caller: CallerIdentity, @JsonBody() body: Fields): Promise<CreatedApiKey> {
    return this.apiKeys.create(caller.accountId, readNewKey(body), caller.scopes);
  }

  @Post(ROUTES.rotateApiKey)
  @Audited('api_key.rotate')
  @Needs('manage')
  rotate(
    @Identity() { accountId, scopes }: CallerIdentity,
    @Param('id') id: string,
    @JsonBody('optional') body: Fields,
  ): Promise<RotatedApiKey> {
    const overlapS = body.has('overlap_s')
      ? body.integer('overlap_s', 0, LONGEST_OVERLAP_S)
      : DEFAULT_OVERLAP_S;
    return this.apiKeys.rotate(accountId, id, overlapS, scopes);
  }

  @Delete(ROUTES.apiKey)
  @Audited('api_key.revoke')
  @Needs('manage')
  @HttpCode(204)
  revoke(@Caller() accountId: string, @Param('id') id: string): Promise<void> {
    return this.apiKeys.revoke(accountId, id);
  }
}

function readNewKey(body: Fields): CreateApiKeyRequest {
  return {
    name: body.label('name'),
    ...(body.has('scopes') && { scopes: body.choices('scopes', SCOPES) }),
    ...(body.has('expires_at') && { expires_at: body.timestamp('expires_at') }),
    ...(body.has('requests_per_minute') && {
      requests_per_minute: body.integer('requests_per_minute', 1, MOST_REQUESTS_PER_MINUTE),
    }),
  };
}
