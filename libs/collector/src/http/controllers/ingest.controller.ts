import { HEADERS, type IngestAnswer, ROUTES } from '@dacapo/protocol';
import { BadRequestException, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { IngestService } from '../../ingest/ingest-service.js';
import { authorOf, type CallerIdentity, Identity } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { LinesBody, RequestMemory } from '../body/body.decorators.js';
import type { BodyLine } from '../../ingest/body-lines.js';
import type { Reservation } from '../../memory/memory-budget.js';
import { ServiceMetrics } from '../../telemetry/service-metrics.js';

@Controller()
export class IngestController {
  constructor(
    private readonly ingestion: IngestService,
    private readonly metrics: ServiceMetrics,
  ) {}

  @Post(ROUTES.ingest)
  @Needs('ingest')
  @HttpCode(200)
  async ingest(
    @Identity() caller: CallerIdentity,
    @LinesBody() body: Iterable<BodyLine>,
    @Headers(HEADERS.batchId) batchId: string | undefined,
    @RequestMemory() memory: Reservation,
  ): Promise<IngestAnswer> {
    if (batchId !== undefined && !/^[\w.:-]{1,128}$/.test(batchId)) {
      throw new BadRequestException(`${HEADERS.batchId} must be 1 to 128 letters, digits or any of . : _ -`);
    }
    const answer = await this.ingestion.ingest(caller.accountId, body, batchId, memory, authorOf(caller));
    this.metrics.batchIngested(answer);
    return answer;
  }
}
