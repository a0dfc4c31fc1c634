import {
  type Envelope,
  type Fields,
  type GetContextData,
  type ListIndexesData,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { IndexService } from '../../indexes/index-service.js';
import { Caller } from '../access/caller.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

const RESULTS = 5;
const MOST_RESULTS = 50;
const QUERY_LENGTH = 10_000;

/** What a developer's tools ask: which services are indexed (SPEC 4.1), and what is known about one. */
@Controller()
export class DeveloperController {
  constructor(private readonly indexes: IndexService) {}

  @Get(ROUTES.listIndexes)
  async listIndexes(@Caller() accountId: string): Promise<Envelope<ListIndexesData>> {
    return { ok: true, error: null, data: { indexes: await this.indexes.catalogue(accountId) } };
  }

  @Post(ROUTES.getContext)
  @HttpCode(200)
  async getContext(@Caller() accountId: string, @JsonBody() body: Fields): Promise<Envelope<GetContextData>> {
    const query = body.string('query');
    if (query.length > QUERY_LENGTH) body.fail('query', `must have at most ${QUERY_LENGTH} characters`);
    const limit = body.has('limit') ? body.integer('limit', 1, MOST_RESULTS) : RESULTS;
    const data = await this.indexes.getContext(accountId, body.string('index_id'), query, limit);
    return { ok: true, error: null, data };
  }
}
