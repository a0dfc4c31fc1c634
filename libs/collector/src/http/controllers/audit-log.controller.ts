import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { AuditLog } from '../../accounts/audit-log.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const { list, useTool } = API.audit;

@Controller()
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  @Handles(list)
  list(@RequestInput() query: Input<typeof list>, @Caller() accountId: string) {
    return this.log.list(accountId, toPage(query));
  }

  @Handles(useTool)
  @Audited('tool.use')
  useTool(): Promise<void> {
    // The entry is all that it does.
    return Promise.resolve();
  }
}
