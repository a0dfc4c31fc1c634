import { ProtocolError } from '@dacapo/protocol';
import { API, type Input } from '@dacapo/protocol/api';
import { Controller } from '@nestjs/common';
import { ScoreService } from '../../scores/score-service.js';
import { toAuthor, Caller, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { RequestInput, Handles } from '../routes/handles.decorator.js';
import { toPage } from '../routes/to-page.js';

const { add, list } = API.scores;

@Controller()
export class ScoresController {
  constructor(private readonly scores: ScoreService) {}

  @Handles(add)
  add(@RequestInput() { scores }: Input<typeof add>, @Identity() caller: CallerIdentity) {
    return this.scores.add(caller.accountId, scores, toAuthor(caller));
  }

  @Handles(list)
  list(@RequestInput() query: Input<typeof list>, @Caller() accountId: string) {
    const { trace_id: traceId, span_id: spanId, test_run_id: testRunId, item_no: itemNo } = query;
    if (spanId !== undefined && traceId === undefined)
      throw new ProtocolError('span_id', 'requires trace_id');
    if (itemNo !== undefined && testRunId === undefined)
      throw new ProtocolError('item_no', 'requires test_run_id');
    const { session_id: sessionId, name, author, history } = query;
    const scores = { traceId, spanId, sessionId, testRunId, itemNo, name, author, history };
    return this.scores.list(accountId, scores, toPage(query));
  }
}
