import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { DecisionService } from '../../runs/decision-service.js';
import { Audited } from '../access/audited.decorator.js';
import { Caller, type CallerIdentity, Identity, toAuthor } from '../access/caller.decorator.js';
import { requireDecider } from '../access/require-decider.js';

import { Handles, RequestInput } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const routes = API.decisions;
type Routes = typeof routes;

@Controller()
export class DecisionsController {
  constructor(private readonly decisions: DecisionService) {}

  @Handles(routes.decide)
  @Audited('test_run.decide')
  decide(@RequestInput() { id, ...request }: Input<Routes['decide']>, @Identity() caller: CallerIdentity) {
    requireDecider(caller);
    const author = toAuthor(caller);
    return this.decisions.decide(caller.accountId, id, { ...request, ...(author && { author }) });
  }

  @Handles(routes.list)
  list(@RequestInput() { id, ...page }: Input<Routes['list']>, @Caller() accountId: string) {
    return this.decisions.list(accountId, id, toPage(page));
  }
}
