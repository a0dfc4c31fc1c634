import { Controller, Get, type INestApplication } from '@nestjs/common';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type DeliveryStats, Tracer } from '@dacapo/tracer';
import { TracerModule } from '../module/tracer.module.js';
import { createTestTracer } from '@dacapo/tracer/testing';
import { TracerHealthIndicator } from './tracer.health-indicator.js';

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tracer: TracerHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tracer.check('tracer', { maxWaiting: 1000 })]);
  }
}

/** A tracer whose records have this outcome. */
function tracerWith(fate: () => Partial<DeliveryStats>): Tracer {
  const stats = (): DeliveryStats => ({ ...createTestTracer().tracer.stats(), ...fate() });
  return new Tracer(
    { apiKey: 'k' },
    { sink: { add: () => undefined, flush: async () => true, shutdown: async () => undefined, stats } },
  );
}

describe('TracerHealthIndicator', () => {
  let app: INestApplication;
  afterEach(() => app.close());

  async function boot(options: Parameters<typeof TracerModule.forRoot>[0]): Promise<void> {
    const module = await Test.createTestingModule({
      imports: [TracerModule.forRoot(options), TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
    }).compile();
    app = module.createNestApplication({ logger: false } as object);
    await app.init();
  }

  it('is up and reports the counters while records are delivered', async () => {
    const { tracer } = createTestTracer();
    tracer.withSpan('work', () => undefined)();
    await boot({ tracer });
    const { body } = await request(app.getHttpServer()).get('/health').expect(200);
    expect(body.details.tracer).toMatchObject({
      status: 'up',
      enabled: true,
      recorded: 1,
      waiting: 0,
      dropped: 0,
    });
  });

  it('is up and reports enabled: false while tracing is off', async () => {
    await boot({ enabled: false });
    const { body } = await request(app.getHttpServer()).get('/health').expect(200);
    expect(body.details.tracer).toMatchObject({ status: 'up', enabled: false });
  });

  it('is down at the first check after a loss, and up at the next', async () => {
    const none = createTestTracer().tracer.stats().dropped;
    let dropped = { ...none, memory_full: 2 };
    await boot({ tracer: tracerWith(() => ({ dropped })) });
    const { body } = await request(app.getHttpServer()).get('/health').expect(503);
    expect(body.error.tracer).toMatchObject({ status: 'down', dropped: 2 });
    await request(app.getHttpServer()).get('/health').expect(200);
    dropped = { ...none, memory_full: 3 };
    await request(app.getHttpServer()).get('/health').expect(503);
  });

  it('is down while the service refuses the key', async () => {
    await boot({ tracer: tracerWith(() => ({ service: 'refusing' })) });
    await request(app.getHttpServer()).get('/health').expect(503);
  });

  it('is down while more than maxWaiting records wait', async () => {
    await boot({ tracer: tracerWith(() => ({ waiting: 2000 })) });
    await request(app.getHttpServer()).get('/health').expect(503);
  });
});
