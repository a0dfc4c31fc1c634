import {
  type ApiKeySummary,
  type CreateApiKeyRequest,
  type CreatedApiKey,
  type Fields,
  ROUTES,
  SCOPES,
} from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiKeyService } from '../../accounts/api-key-service.js';
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
  @Needs('manage')
  create(@Identity() caller: CallerIdentity, @JsonBody() body: Fields): Promise<CreatedApiKey> {
    return this.apiKeys.create(caller.accountId, readNewKey(body), caller.scopes);
  }

  @Delete(ROUTES.apiKey)
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
  };
}
