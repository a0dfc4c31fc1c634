import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { RetentionService } from '../../deletions/retention-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';

const { get, set, preview } = API.retention;

@Controller()
export class RetentionController {
  constructor(private readonly retention: RetentionService) {}

  @Handles(get)
  get(_: object, @Caller() accountId: string) {
    return this.retention.get(accountId);
  }

  @Handles(set)
  @Audited('retention.set')
  set(@RequestInput() rule: Input<typeof set>, @Caller() accountId: string) {
    return this.retention.set(accountId, rule);
  }

  @Handles(preview)
  preview(@RequestInput() rule: Input<typeof preview>, @Caller() accountId: string) {
    return this.retention.preview(accountId, rule);
  }
}
