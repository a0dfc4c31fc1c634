import {
  type CreateDeletionRequest,
  type DeletionPreview,
  type DeletionRecord,
  type Fields,
  formatTimestamp,
  isTraceId,
  LIMITS,
  type Page,
  parseTimestamp,
  ROUTES,
} from '@dacapo/protocol';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DeletionService } from '../../deletions/deletion-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';
import { pageOf, type Query as QueryString } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

@Controller()
@Needs('manage')
export class DeletionsController {
  constructor(private readonly deletions: DeletionService) {}

  @Post(ROUTES.deletions)
  @Audited('deletion.create')
  create(@Identity() caller: CallerIdentity, @JsonBody() body: Fields): Promise<DeletionRecord> {
    return this.deletions.create(caller.accountId, readDeletion(body), caller);
  }

  @Post(ROUTES.deletionPreview)
  @HttpCode(200)
  preview(@Caller() accountId: string, @JsonBody() body: Fields): Promise<DeletionPreview> {
    return this.deletions.preview(accountId, readDeletion(body));
  }

  /** The newest first. */
  @Get(ROUTES.deletions)
  @Takes('page')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<DeletionRecord>> {
    return this.deletions.list(accountId, pageOf(query));
  }

  @Get(ROUTES.deletion)
  get(@Caller() accountId: string, @Param('id') id: string): Promise<DeletionRecord> {
    return this.deletions.get(accountId, id);
  }
}

function readDeletion(body: Fields): CreateDeletionRequest {
  const keepCopies = body.value('keep_copies') ?? false;
  if (typeof keepCopies !== 'boolean') body.fail('keep_copies', 'must be true or false');
  return {
    ...(body.has('trace_ids') && { trace_ids: readTraceIds(body) }),
    ...(body.has('session_id') && { session_id: body.label('session_id') }),
    ...(body.has('user_id') && { user_id: body.label('user_id') }),
    ...(body.has('trace_function_key') && { trace_function_key: body.label('trace_function_key') }),
    ...(body.has('before') && { before: formatTimestamp(parseTimestamp(body.timestamp('before')) ?? 0) }),
    ...(keepCopies && { keep_copies: true }),
  };
}

function readTraceIds(body: Fields): string[] {
  const ids = body
    .array('trace_ids', LIMITS.deletedTraces)
    .map((id, index) =>
      typeof id === 'string' && isTraceId(id)
        ? id
        : body.fail(`trace_ids[${index}]`, 'must be a UUID in lower case'),
    );
  if (ids.length === 0) body.fail('trace_ids', 'must hold one at least');
  return [...new Set(ids)];
}
