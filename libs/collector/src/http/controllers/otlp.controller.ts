import { API } from '@dacapo/protocol/api';
import { Controller, NotFoundException, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reservation } from '../../memory/memory-budget.js';
import { type OtlpOutcome, OtlpService } from '../../otlp/otlp-service.js';
import type { SplitBody } from '../../otlp/span-frame.js';
import { ServiceMetrics } from '../../telemetry/service-metrics.js';
import { type CallerIdentity, Identity, toAuthor } from '../access/caller.decorator.js';
import { Needs } from '../access/needs.decorator.js';
import { RequestMemory } from '../body/body.decorators.js';
import { findOtlpEncoding, OtlpBody } from '../body/otlp-body.js';
import { encodeSuccess, type PartialSuccess } from '../otlp/otlp-answers.js';
import { OtlpErrorFilter } from '../otlp/otlp-error.filter.js';
import { Handles } from '../routes/handles.decorator.js';

const { send } = API.otlp;

/** Most different problems that a response lists. */
const LISTED_PROBLEMS = 5;

@Controller()
@UseFilters(OtlpErrorFilter)
export class OtlpController {
  constructor(
    private readonly otlp: OtlpService,
    private readonly metrics: ServiceMetrics,
  ) {}

  @Handles(send)
  async send(
    _: object,
    @Identity() caller: CallerIdentity,
    @OtlpBody() spans: SplitBody,
    @RequestMemory() memory: Reservation,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    const outcome = await this.otlp.ingest(caller.accountId, spans, memory, toAuthor(caller));
    this.metrics.spansReceived(outcome);
    const { type, body } = encodeSuccess(findOtlpEncoding(request) ?? 'json', toPartialSuccess(outcome));
    void reply.type(type).send(body);
  }

  @Post(['v1/logs', 'v1/metrics'])
  @Needs('ingest')
  refuse(): never {
    throw new NotFoundException(
      'Dacapo stores traces but no logs or metrics. Export only traces to it: set OTEL_LOGS_EXPORTER=none and OTEL_METRICS_EXPORTER=none, or remove it from those pipelines of the OpenTelemetry Collector',
    );
  }
}

function toPartialSuccess({ rejected }: OtlpOutcome): PartialSuccess | undefined {
  if (rejected.length === 0) return undefined;
  const problems = [...new Set(rejected)];
  const more =
    problems.length > LISTED_PROBLEMS ? `; and ${problems.length - LISTED_PROBLEMS} other problems` : '';
  return {
    rejectedSpans: rejected.length,
    errorMessage: problems.slice(0, LISTED_PROBLEMS).join('; ') + more,
  };
}
