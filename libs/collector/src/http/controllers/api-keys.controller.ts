import { type ApiKeySummary, type CreatedApiKey, type Fields, ROUTES } from '@dacapo/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiKeyService } from '../../accounts/api-key-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

@Controller()
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeyService) {}

  @Get(ROUTES.apiKeys)
  async list(@Caller() accountId: string): Promise<{ items: ApiKeySummary[] }> {
    return { items: await this.apiKeys.list(accountId) };
  }

  @Post(ROUTES.apiKeys)
  create(@Caller() accountId: string, @JsonBody() body: Fields): Promise<CreatedApiKey> {
    return this.apiKeys.create(accountId, body.label('name'));
  }

  @Delete(ROUTES.apiKey)
  @HttpCode(204)
  revoke(@Caller() accountId: string, @Param('id') id: string): Promise<void> {
    return this.apiKeys.revoke(accountId, id);
  }
}
