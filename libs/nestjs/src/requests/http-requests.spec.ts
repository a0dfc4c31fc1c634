import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type CallHandler,
  type CanActivate,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Get,
  type INestApplication,
  Injectable,
  type MessageEvent,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestMiddleware,
  type NestModule,
  Param,
  type PipeTransform,
  Post,
  SetMetadata,
  Sse,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ArgumentsHost,
  HttpException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { concatMap, type Observable, of, timer } from 'rxjs';
import request from 'supertest';
import type { SpanRecord } from '@dacapo/protocol';
import { getCurrentTrace, type TracerLogger } from '@dacapo/tracer';
import type { TracerModuleExtras, TracerModuleOptions } from '../module/module-options.js';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { NoTrace } from '../tracing/no-trace.decorator.js';
import { Traced } from '../tracing/traced.decorator.js';

@Injectable()
class Stages {
  @Traced('stage')
  async pass(stage: string): Promise<string> {
    return stage;
  }
}

@Injectable()
class StageMiddleware implements NestMiddleware {
  constructor(private readonly stages: Stages) {}
  use(_request: unknown, _response: unknown, next: () => void): void {
    void this.stages.pass('middleware').then(() => {
      next();
    });
  }
}

@Injectable()
class StageGuard implements CanActivate {
  constructor(private readonly stages: Stages) {}
  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.stages.pass('guard');
    getCurrentTrace().setSessionId('from-guard');
    return context.switchToHttp().getRequest<{ url: string }>().url !== '/refused';
  }
}

@Injectable()
class StagePipe implements PipeTransform {
  constructor(private readonly stages: Stages) {}
  async transform(value: string): Promise<string> {
    await this.stages.pass('pipe');
    return value;
  }
}

@Injectable()
class StageInterceptor implements NestInterceptor {
  constructor(private readonly stages: Stages) {}
  async intercept(_context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    await this.stages.pass('interceptor');
    return next.handle();
  }
}

@Catch()
@Injectable()
class StageFilter implements ExceptionFilter {
  constructor(private readonly stages: Stages) {}
  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    await this.stages.pass('filter');
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: unknown): void } }>();
    response.status(error instanceof HttpException ? error.getStatus() : 500).send({});
  }
}

@Controller()
class StagesController {
  constructor(private readonly stages: Stages) {}

  @Get('tickets/:id')
  @UseGuards(StageGuard)
  @UseInterceptors(StageInterceptor)
  async ticket(@Param('id', StagePipe) id: string): Promise<string> {
    await this.stages.pass('handler');
    return id;
  }

  @Post('tickets')
  async create(@Body() body: { text: string }): Promise<string> {
    return this.stages.pass(body.text);
  }

  @Get('refused')
  @UseGuards(StageGuard)
  refused(): void {
    throw new ForbiddenException('never reached');
  }

  @Get('failing')
  @UseFilters(StageFilter)
  async failing(): Promise<void> {
    await this.stages.pass('handler');
    throw new Error('broken');
  }

  @Get('untraced')
  untraced(): string {
    getCurrentTrace().setSessionId('unused');
    return 'plain';
  }

  @Get('health')
  @UseGuards(StageGuard)
  @NoTrace()
  health(): string {
    return 'up';
  }

  @Get('internal')
  @UseGuards(StageGuard)
  @SetMetadata('internal', true)
  internal(): string {
    return 'internal';
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return timer(0, 1).pipe(
      concatMap((n) => (n < 2 ? this.stages.pass(`event ${n}`) : of('end'))),
      concatMap((data, index) => (index < 2 ? of({ data }) : of({ data, type: 'end' }))),
    );
  }
}

@NoTrace()
@Controller('probes')
class ProbesController {
  @Get('live')
  @UseGuards(StageGuard)
  live(): string {
    return 'live';
  }

  @Get('of/:part')
  @UseGuards(StageGuard)
  livePart(): string {
    return 'live';
  }
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('HTTP requests on %s', (platform, createAdapter) => {
  let app: INestApplication;
  let tracing: TracerTestingModule;

  async function boot(
    options: TracerModuleOptions & TracerModuleExtras = {},
    logger: TracerLogger = console,
  ): Promise<void> {
    @Module({
      imports: [TracerModule.forRoot(options)],
      controllers: [StagesController, ProbesController],
      providers: [Stages, StageMiddleware],
    })
    class AppModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(StageMiddleware).forRoutes('tickets/:id');
      }
    }
    const module = await Test.createTestingModule({
      imports: [AppModule, TracerTestingModule.forRoot({ logger })],
    }).compile();
    app = module.createNestApplication(
      createAdapter() as ExpressAdapter,
      {
        logger: false,
        forceCloseConnections: true,
      } as object,
    );
    await app.init();
    if (createAdapter() instanceof FastifyAdapter) {
      await (app as NestFastifyApplication).getHttpAdapter().getInstance().ready();
    }
    tracing = app.get(TracerTestingModule);
  }

  /** The client may see the answer before the request span ends. */
  async function requestSpan(): Promise<SpanRecord> {
    for (;;) {
      const span = tracing.spans.find(({ trace_function_key: key }) => key !== 'stage');
      if (span !== undefined) return span;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const stages = (): unknown[] =>
    tracing.spans.filter((span) => span.trace_function_key === 'stage').map((span) => span.span_data.output);

  afterEach(() => app.close());

  it('are one trace from the guard to the handler', async () => {
    await boot();
    await request(app.getHttpServer()).get('/tickets/7?secret=1').expect(200);
    const root = await requestSpan();
    expect(root).toMatchObject({
      type: 'custom',
      status: 'ok',
      span_data: { input: [{ method: 'GET', path: '/tickets/7' }], output: { status_code: 200 } },
    });
    expect(stages()).toEqual(['middleware', 'guard', 'interceptor', 'pipe', 'handler']);
    const inside = tracing.spans.filter((span) => span.parent_id === root.id);
    expect(inside.map((span) => span.span_data.output).slice(-4)).toEqual([
      'guard',
      'interceptor',
      'pipe',
      'handler',
    ]);
    expect(inside.every((span) => span.trace_id === root.trace_id)).toBe(true);
    expect(tracing.traces).toMatchObject([{ id: root.trace_id, session_id: 'from-guard' }]);
  });

  it(`${platform === 'Express' ? 'begin before' : 'begin after'} middleware`, async () => {
    await boot();
    await request(app.getHttpServer()).get('/tickets/7').expect(200);
    const root = await requestSpan();
    const [middleware] = tracing.spans;
    expect(middleware).toMatchObject({ span_data: { output: 'middleware' } });
    expect(middleware?.trace_id === root.trace_id).toBe(platform === 'Express');
  });

  it('are named after their route', async () => {
    await boot();
    await request(app.getHttpServer()).get('/refused').expect(403);
    expect(await requestSpan()).toMatchObject({ trace_function_key: 'GET /refused', name: 'GET /refused' });
  });

  it('keep their trace while the body is read', async () => {
    await boot();
    await request(app.getHttpServer())
      .post('/tickets')
      .send({ text: 'x'.repeat(20_000) })
      .expect(201);
    const root = await requestSpan();
    expect(root).toMatchObject({
      trace_function_key: 'POST /tickets',
      span_data: { output: { status_code: 201 } },
    });
    expect(tracing.spans[0]?.parent_id).toBe(root.id);
  });

  it('show that a guard refused if something was traced before', async () => {
    await boot();
    await request(app.getHttpServer()).get('/refused').expect(403);
    expect(await requestSpan()).toMatchObject({
      status: 'error',
      span_data: { output: { status_code: 403 }, error: { name: 'HttpError', message: '403 Forbidden' } },
    });
  });

  it('include exception filters, and fail with the status of the answer', async () => {
    await boot();
    await request(app.getHttpServer()).get('/failing').expect(500);
    const root = await requestSpan();
    expect(stages()).toEqual(['handler', 'filter']);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(1);
    expect(root).toMatchObject({
      status: 'error',
      span_data: { error: { message: '500 Internal Server Error' } },
    });
  });

  it('record the exception itself if the interceptor sees it', async () => {
    await boot({ interceptor: true });
    await request(app.getHttpServer()).get('/failing').expect(500);
    expect((await requestSpan()).span_data).toMatchObject({
      error: { message: 'broken' },
      output: { status_code: 500 },
    });
  });

  it('are traced when they request a WebSocket that the server does not offer', async () => {
    await boot();
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    await request(app.getHttpServer()).get('/tickets/7').set(upgrade).expect(200);
    const root = await requestSpan();
    expect(root.name).toContain('GET');
    expect(tracing.spans.filter(({ parent_id: parent }) => parent === root.id).length).toBeGreaterThan(0);
  });

  it('are not traced when they become a WebSocket', async () => {
    await boot();
    const server = app.getHttpServer() as Server;
    server.on('upgrade', (upgrading: IncomingMessage, socket: Socket) => {
      const response = new ServerResponse(upgrading);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => socket.end());
      server.emit('request', upgrading, response);
    });
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    await request(server).get('/tickets/7').set(upgrade).expect(200);
    await app.close();
    expect(new Set(tracing.spans.map(({ trace_function_key: key }) => key))).toEqual(new Set(['stage']));
    expect(stages()).toContain('handler');
  });

  it('are not recorded when nothing inside is traced', async () => {
    await boot();
    await request(app.getHttpServer()).get('/untraced').expect(200);
    await request(app.getHttpServer()).get('/not-there').expect(404);
    await app.close();
    expect([tracing.spans, tracing.traces]).toEqual([[], []]);
  });

  it('include what a stream of events does at subscription and emission', async () => {
    await boot();
    await app.listen(0);
    const response = await fetch(`${await app.getUrl()}/events`);
    let text = '';
    for await (const chunk of response.body!) {
      text += Buffer.from(chunk).toString();
      if (text.includes('event: end')) break;
    }
    const root = await requestSpan();
    expect(root).toMatchObject({ trace_function_key: 'GET /events', status: 'cancelled' });
    expect(stages()).toEqual(['event 0', 'event 1']);
    expect(tracing.spans[0]?.trace_id).toBe(root.trace_id);
  });

  it('continue the trace of an incoming traceparent with incoming: continue', async () => {
    await boot({ incoming: 'continue' });
    await request(app.getHttpServer())
      .post('/tickets')
      .set('traceparent', PARENT)
      .send({ text: 'a' })
      .expect(201);
    expect(await requestSpan()).toMatchObject({
      trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
      parent_id: 'b7ad6b7169203331',
    });
  });

  it('are excluded with all their calls if exclude returns true', async () => {
    await boot({
      exclude: (context) => context.switchToHttp().getRequest<{ url: string }>().url === '/tickets',
    });
    await request(app.getHttpServer()).post('/tickets').send({ text: 'a' }).expect(201);
    await app.close();
    expect(tracing.spans).toEqual([]);
  });

  it.each(['/health', '/probes/live', '/probes/of/store'])(
    '%s is excluded with its guards by NoTrace',
    async (path) => {
      await boot();
      await request(app.getHttpServer()).get(path).expect(200);
      await app.close();
      expect(tracing.spans).toEqual([]);
    },
  );

  it('are excluded by metadata of their class and handler', async () => {
    const questions: string[] = [];
    await boot({
      exclude: (context) => {
        questions.push(`${context.getClass().name}.${context.getHandler().name}`);
        return new Reflector().getAllAndOverride<boolean>('internal', [
          context.getHandler(),
          context.getClass(),
        ]);
      },
    });
    await request(app.getHttpServer()).get('/internal').expect(200);
    await request(app.getHttpServer()).get('/refused').expect(403);
    expect(await requestSpan()).toMatchObject({ trace_function_key: 'GET /refused' });
    expect(tracing.spans).toHaveLength(2);
    expect(questions).toEqual(['StagesController.internal', 'StagesController.refused']);
  });

  it.each([false, true])(
    'open no span of their own with requests: false, interceptor: %s',
    async (interceptor) => {
      await boot({ requests: false, interceptor });
      await request(app.getHttpServer()).post('/tickets').send({ text: 'a' }).expect(201);
      expect(tracing.spans).toMatchObject([{ trace_function_key: 'stage' }]);
      expect(tracing.spans[0]?.parent_id).toBeUndefined();
    },
  );

  it('are answered when enrich and exclude return rejected promises', async () => {
    const promising = async (): Promise<never> => Promise.reject(new Error('async hook'));
    const warnings: string[] = [];
    const hooks = { exclude: promising as never, enrich: promising as never };
    await boot(hooks, { warn: (message) => warnings.push(message) });
    await request(app.getHttpServer()).post('/tickets').send({ text: 'a' }).expect(201);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stages().length).toBeGreaterThan(0);
    expect(warnings).toEqual([
      expect.stringContaining('exclude returned a promise; it must return its result directly'),
    ]);
  });

  it('get session, user, tags and metadata from enrich, which sees class and handler', async () => {
    await boot({
      enrich: (context) => ({
        sessionId: context.switchToHttp().getRequest<{ body: { text: string } }>().body.text,
        userId: 'ann',
        tags: ['beta'],
        metadata: { handler: `${context.getClass().name}.${context.getHandler().name}` },
      }),
    });
    await request(app.getHttpServer()).post('/tickets').send({ text: 's-1' }).expect(201);
    await requestSpan();
    expect(tracing.traces).toMatchObject([
      { session_id: 's-1', user_id: 'ann', tags: ['beta'], metadata: { handler: 'StagesController.create' } },
    ]);
  });
});
