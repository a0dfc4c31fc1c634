import { HEADERS } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { BadRequestException, Controller, Headers } from '@nestjs/common';
import { IngestService } from '../../ingest/ingest-service.js';
import { toAuthor, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { LinesBody, RequestMemory } from '../body/body.decorators.js';
import { Handles } from '../routes/handles.decorator.js';
import type { BodyLine } from '../../ingest/body-lines.js';
import type { Reservation } from '../../memory/memory-budget.js';
import { ServiceMetrics } from '../../telemetry/service-metrics.js';

const { send } = API.ingest;

@Controller()
export class IngestController {
  constructor(
    private readonly ingestion: IngestService,
    private readonly metrics: ServiceMetrics,
  ) {}

  @Handles(send)
  async ingest(
    _: object,
    @Identity() caller: CallerIdentity,
    @LinesBody() body: Iterable<BodyLine>,
    @Headers(HEADERS.batchId) batchId: string | undefined,
    @RequestMemory() memory: Reservation,
  ) {
    if (batchId !== undefined && !/^[\w.:-]{1,128}$/.test(batchId)) {
      throw new BadRequestException(`${HEADERS.batchId} must be 1 to 128 letters, digits or any of . : _ -`);
    }
    const answer = await this.ingestion.ingest(caller.accountId, body, batchId, memory, toAuthor(caller));
    this.metrics.batchIngested(answer);
    return answer;
  }
}
