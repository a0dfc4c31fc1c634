import {
  CONTEXT_EXPANSIONS,
  type Envelope,
  type Fields,
  type GetContextData,
  LIMITS,
  type ListIndexesData,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ContextService } from '../../indexes/context-service.js';
import { IndexService } from '../../indexes/index-service.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

const RESULTS = 5;
const MOST_RESULTS = 50;
const QUERY_LENGTH = 10_000;

/** What a developer's tools ask: which services are indexed (SPEC 4.1), and what is known about one. */
@Controller()
export class DeveloperController {
  constructor(
    private readonly indexes: IndexService,
    private readonly contexts: ContextService,
  ) {}

  @Get(ROUTES.listIndexes)
  @Needs('key')
  async listIndexes(@Caller() accountId: string): Promise<Envelope<ListIndexesData>> {
    return { ok: true, error: null, data: { indexes: await this.indexes.catalogue(accountId) } };
  }

  @Post(ROUTES.getContext)
  @Needs('read')
  @HttpCode(200)
  async getContext(@Caller() accountId: string, @JsonBody() body: Fields): Promise<Envelope<GetContextData>> {
    const query = body.string('query');
    if (query.length > QUERY_LENGTH) body.fail('query', `must have at most ${QUERY_LENGTH} characters`);
    const maxTokens = body.has('max_tokens')
      ? body.integer('max_tokens', 1, LIMITS.contextTokens)
      : undefined;
    const data = await this.contexts.find(accountId, {
      ...indexesOf(body),
      query,
      limit: body.has('limit') ? body.integer('limit', 1, MOST_RESULTS) : maxTokens ? MOST_RESULTS : RESULTS,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(body.has('expand') && { expand: body.oneOf('expand', CONTEXT_EXPANSIONS) }),
      ...(body.has('language') && { language: body.label('language') }),
    });
    return { ok: true, error: null, data };
  }
}

/** One by `index_id`, or several by `index_ids`. */
function indexesOf(body: Fields): { index_id: string } | { index_ids: string[] } {
  if (!body.has('index_ids')) return { index_id: body.string('index_id') };
  if (body.has('index_id')) body.fail('index_ids', 'cannot be combined with index_id');
  const ids = new Set(
    body
      .array('index_ids')
      .map((id) => (typeof id === 'string' ? id : body.fail('index_ids', 'must be an array of texts'))),
  );
  if (ids.size === 0 || ids.size > LIMITS.indexesAtOnce) {
    body.fail('index_ids', `must have 1 to ${LIMITS.indexesAtOnce} ids, not ${ids.size}`);
  }
  return { index_ids: [...ids] };
}
