import { type Fields, type RetentionPolicy, type RetentionPreview, ROUTES } from '@dacapo/protocol';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { RetentionService } from '../../deletions/retention-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { JsonBody } from '../body/body.decorators.js';

/** A hundred years: longer is for ever. */
const MOST_DAYS = 36_500;

@Controller()
@Needs('manage')
export class RetentionController {
  constructor(private readonly retention: RetentionService) {}

  @Get(ROUTES.retention)
  get(@Caller() accountId: string): Promise<RetentionPolicy> {
    return this.retention.get(accountId);
  }

  @Post(ROUTES.retention)
  @Audited('retention.set')
  @HttpCode(200)
  set(@Caller() accountId: string, @JsonBody() body: Fields): Promise<RetentionPolicy> {
    // A rule is removed by `days: null`, never by a missing field.
    const days = body.value('days') === null ? null : body.integer('days', 1, MOST_DAYS);
    return this.retention.set(accountId, { ...keyOf(body), days });
  }

  @Post(ROUTES.retentionPreview)
  @HttpCode(200)
  preview(@Caller() accountId: string, @JsonBody() body: Fields): Promise<RetentionPreview> {
    return this.retention.preview(accountId, { ...keyOf(body), days: body.integer('days', 1, MOST_DAYS) });
  }
}

function keyOf(body: Fields): { trace_function_key?: string } {
  return body.has('trace_function_key') ? { trace_function_key: body.label('trace_function_key') } : {};
}
