import { DEFAULT_OVERLAP_S } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { ApiKeyService } from '../../accounts/api-key-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { list, create, rotate, revoke } = API.apiKeys;

@Controller()
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeyService) {}

  @Handles(list)
  async list(_: object, @Caller() accountId: string): Promise<Answer<typeof list>> {
    return { items: await this.apiKeys.list(accountId) };
  }

  @Handles(create)
  @Audited('api_key.create')
  create(@RequestInput() request: Input<typeof create>, @Identity() { accountId, scopes }: CallerIdentity) {
    return this.apiKeys.create(accountId, request, scopes);
  }

  @Handles(rotate)
  @Audited('api_key.rotate')
  rotate(
    @RequestInput() { id, overlap_s: overlapS = DEFAULT_OVERLAP_S }: Input<typeof rotate>,
    @Identity() { accountId, scopes }: CallerIdentity,
  ) {
    return this.apiKeys.rotate(accountId, id, overlapS, scopes);
  }

  @Handles(revoke)
  @Audited('api_key.revoke')
  revoke(@RequestInput() { id }: Input<typeof revoke>, @Caller() accountId: string) {
    return this.apiKeys.revoke(accountId, id);
  }
}
