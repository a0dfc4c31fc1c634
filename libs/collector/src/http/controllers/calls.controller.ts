import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { CallService } from '../../traces/call-service.js';
import { CallTrees } from '../../traces/call-trees.js';
import { Caller } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const { search, listDescendants } = API.calls;

@Controller()
export class CallsController {
  constructor(
    private readonly calls: CallService,
    private readonly trees: CallTrees,
  ) {}

  @Handles(search)
  search(@RequestInput() request: Input<typeof search>, @Caller() accountId: string) {
    return this.calls.search(accountId, { ...request, ...toPage(request) });
  }

  @Handles(listDescendants)
  listDescendants(
    @RequestInput() { id, span_id, ...page }: Input<typeof listDescendants>,
    @Caller() accountId: string,
  ) {
    return this.trees.listDescendants(accountId, id, span_id, toPage(page));
  }
}
