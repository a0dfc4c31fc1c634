import { type AuditEntry, type Page, ROUTES } from '@dacapo/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { AuditLog } from '../../accounts/audit-log.js';
import { Caller } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { pageOf, type Query as QueryString } from '../query/page-query.js';
import { Takes } from '../query/takes.decorator.js';

@Controller()
@Needs('manage')
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  /** The newest first. */
  @Get(ROUTES.auditLog)
  @Takes('page')
  list(@Caller() accountId: string, @Query() query: QueryString): Promise<Page<AuditEntry>> {
    return this.log.list(accountId, pageOf(query));
  }
}
