import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { DeletionService } from '../../deletions/deletion-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const { create, preview, list, get } = API.deletions;

@Controller()
export class DeletionsController {
  constructor(private readonly deletions: DeletionService) {}

  @Handles(create)
  @Audited('deletion.create')
  create(@RequestInput() request: Input<typeof create>, @Identity() caller: CallerIdentity) {
    return this.deletions.create(caller.accountId, request, caller);
  }

  @Handles(preview)
  preview(@RequestInput() request: Input<typeof preview>, @Caller() accountId: string) {
    return this.deletions.preview(accountId, request);
  }

  @Handles(list)
  list(@RequestInput() query: Input<typeof list>, @Caller() accountId: string) {
    return this.deletions.list(accountId, toPage(query));
  }

  @Handles(get)
  get(@RequestInput() { id }: Input<typeof get>, @Caller() accountId: string) {
    return this.deletions.get(accountId, id);
  }
}
