import { ProtocolError } from '@dacapo/protocol';
import { type Answer, API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { ContextService } from '../../indexes/context-service.js';
import { IndexService } from '../../indexes/index-service.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { listIndexes, getContext } = API.developer;

const RESULTS = 5;
const MOST_RESULTS = 50;

/** Answers a developer's tools: which services are indexed (SPEC 4.1), and what an index contains on a question. */
@Controller()
export class DeveloperController {
  constructor(
    private readonly indexes: IndexService,
    private readonly contexts: ContextService,
  ) {}

  @Handles(listIndexes)
  async listIndexes(_: object, @Caller() accountId: string): Promise<Answer<typeof listIndexes>> {
    return { ok: true, error: null, data: { indexes: await this.indexes.catalogue(accountId) } };
  }

  @Handles(getContext)
  async getContext(
    @RequestInput() request: Input<typeof getContext>,
    @Caller() accountId: string,
  ): Promise<Answer<typeof getContext>> {
    const { index_id: one, index_ids: several, max_tokens: budget } = request;
    if (one !== undefined && several !== undefined)
      throw new ProtocolError('index_ids', 'cannot be combined with index_id');
    if (one === undefined && several === undefined)
      throw new ProtocolError('index_id', 'must be a string, not absent');
    const { limit = budget === undefined ? RESULTS : MOST_RESULTS } = request;
    return { ok: true, error: null, data: await this.contexts.find(accountId, { ...request, limit }) };
  }
}
