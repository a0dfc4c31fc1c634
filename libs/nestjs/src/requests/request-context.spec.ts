import { EventEmitter, once } from 'node:events';
import { get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallHandler,
  type CanActivate,
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  type INestApplication,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  Param,
  type PipeTransform,
  Res,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Observable } from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { bind, getCurrentTrace } from '@dacapo/tracer';
import type { TracerModuleExtras, TracerModuleOptions } from '../module/module-options.js';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { NoTrace } from '../tracing/no-trace.decorator.js';
import { Traced } from '../tracing/traced.decorator.js';

/** A connection whose answers arrive in the context of the request that opened it. */
class LazyConnection {
  private socket: EventEmitter | undefined;
  private readonly waiting: (() => void)[] = [];

  ask(answered: () => void): void {
    this.waiting.push(answered);
    if (this.socket !== undefined) return;
    this.socket = new EventEmitter();
    this.open();
  }

  private open(): void {
    setTimeout(() => {
      for (const answered of this.waiting.splice(0)) answered();
      this.open();
    }, 1).unref();
  }
}

/** Lets a test continue the handler. */
const steps = new EventEmitter();

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string, stage: string): Promise<string> {
    return `${user} ${stage}`;
  }

  @Traced('work')
  async work(user: string): Promise<void> {
    await once(steps, 'go on');
    await this.ask(user, 'later');
  }
}

interface UserRequest {
  readonly headers: Record<string, string>;
}
const readUser = (context: ArgumentsHost): string =>
  context.switchToHttp().getRequest<UserRequest>().headers['x-user'] ?? 'nobody';

@Injectable()
class UserGuard implements CanActivate {
  constructor(private readonly model: Model) {}
  async canActivate(context: ExecutionContext): Promise<boolean> {
    getCurrentTrace().setSessionId(readUser(context));
    await this.model.ask(readUser(context), 'guard');
    return true;
  }
}

@Injectable()
class LazyInterceptor implements NestInterceptor {
  readonly connection = new LazyConnection();
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return new Observable((subscriber) => {
      this.connection.ask(() => {
        subscriber.add(next.handle().subscribe(subscriber));
      });
    });
  }
}

@Injectable()
class UserPipe implements PipeTransform {
  constructor(private readonly model: Model) {}
  async transform(user: string): Promise<string> {
    await this.model.ask(user, 'pipe');
    return user;
  }
}

@Catch()
@Injectable()
class UserFilter implements ExceptionFilter {
  constructor(private readonly model: Model) {}
  async catch(_error: unknown, host: ArgumentsHost): Promise<void> {
    await this.model.ask(readUser(host), 'filter');
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { send(body: unknown): void } }>();
    response.status(418).send({});
  }
}

@Controller()
class UsersController {
  private readonly pool = new LazyConnection();
  constructor(private readonly model: Model) {}

  @Get('users/:user')
  @UseGuards(UserGuard)
  @UseInterceptors(LazyInterceptor)
  @UseFilters(UserFilter)
  async user(@Param('user', UserPipe) user: string): Promise<never> {
    await this.model.ask(user, 'handler');
    throw new HttpException('no', 400);
  }

  @Get('waiting/:user')
  waiting(@Param('user') user: string): Promise<string> {
    getCurrentTrace().setSessionId(user);
    return this.waitingUnnoted(user);
  }

  @Get('waiting-unnoted/:user')
  async waitingUnnoted(@Param('user') user: string): Promise<string> {
    steps.emit('begun');
    await once(steps, 'go on');
    await this.model.ask(user, 'handler');
    await this.model.ask(user, 'handler');
    steps.emit('done');
    return user;
  }

  @Get('answered/:user')
  async answered(
    @Param('user') user: string,
    @Res() response: { send(body: string): void; raw?: EventEmitter } & EventEmitter,
  ): Promise<void> {
    getCurrentTrace().setSessionId(user);
    const closed = once(response.raw ?? response, 'close');
    response.send('at once');
    await closed;
    await this.model.ask(user, 'handler');
    steps.emit('done');
  }

  @Get('left-behind/:user')
  leftBehind(@Param('user') user: string): string {
    getCurrentTrace().setSessionId(user);
    return this.leftBehindUnnoted(user);
  }

  @Get('left-behind-unnoted/:user')
  leftBehindUnnoted(@Param('user') user: string): string {
    void once(steps, 'go on').then(async () => {
      await this.model.ask(user, 'later');
      steps.emit('done');
    });
    return 'at once';
  }

  @Get('bound/:user')
  bound(@Param('user') user: string): string {
    getCurrentTrace().setSessionId(user);
    const late = bind(() => this.model.ask(user, 'later'));
    steps.once('go on', () => void late().then(() => steps.emit('done')));
    return 'at once';
  }

  /** Answers in the callback of the pool, which names the user itself. */
  @Get('pooled/:user')
  pooled(@Param('user') user: string): Promise<string> {
    if (user === 'opener') getCurrentTrace().setSessionId(user);
    return new Promise((resolve) => {
      this.pool.ask(() => {
        if (user !== 'opener') getCurrentTrace().setSessionId(user);
        void this.model.ask(user, 'pooled').then(resolve);
      });
    });
  }

  @Get('fire-and-forget/:user')
  fireAndForget(@Param('user') user: string): string {
    getCurrentTrace().setSessionId(user);
    void this.model.work(user).then(() => steps.emit('done'));
    return 'at once';
  }

  @Get('health/:user')
  @NoTrace()
  health(@Param('user') user: string): string {
    return this.leftBehind(user);
  }
}

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const INCOMING = { trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', parent_id: 'b7ad6b7169203331' };

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('the context of a request on %s', (platform, createAdapter) => {
  let app: INestApplication;
  let tracing: TracerTestingModule;
  let url: string;

  async function boot(options: TracerModuleOptions & TracerModuleExtras = {}): Promise<void> {
    const connection = new LazyConnection();
    @Module({
      imports: [TracerModule.forRoot(options)],
      controllers: [UsersController],
      providers: [Model, LazyInterceptor],
    })
    class AppModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer
          .apply((_request: unknown, _response: unknown, next: () => void) => {
            connection.ask(next);
          })
          .forRoutes('users/:user');
      }
    }
    const module = await Test.createTestingModule({
      imports: [AppModule, TracerTestingModule.forRoot()],
    }).compile();
    app = module.createNestApplication(createAdapter() as ExpressAdapter, { logger: false } as object);
    app.use((request: UserRequest, response: EventEmitter, next: () => void) => {
      response.once('close', () => steps.emit('closed'));
      if (request.headers['x-user'] === undefined) next();
      else connection.ask(next);
    });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    tracing = app.get(TracerTestingModule);
  }

  afterEach(() => app.close());

  const calls = (): SpanRecord[] => tracing.spans.filter((span) => span.trace_function_key === 'ask');
  const requestSpans = (): SpanRecord[] =>
    tracing.spans.filter(({ trace_function_key: key }) => key !== 'ask' && key !== 'work');
  const findSession = (traceId: string): unknown =>
    tracing.traces.filter(({ id, session_id: session }) => id === traceId && session !== undefined).at(-1)
      ?.session_id;

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }

  it('is entered again by guard, pipe, handler and filter, in any context that calls next', async () => {
    await boot();
    const users = Array.from({ length: 30 }, (_, index) => `u${index}`);
    await Promise.all(users.map((user) => fetch(`${url}/users/${user}`, { headers: { 'x-user': user } })));
    await until(() => requestSpans().length === users.length);
    for (const user of users) {
      const own = calls().filter((span) => span.span_data.input?.[0] === user);
      expect(own.map((span) => span.span_data.input?.[1]).sort()).toEqual([
        'filter',
        'guard',
        'handler',
        'pipe',
      ]);
      expect(new Set(own.map((span) => span.trace_id)).size).toBe(1);
      expect(findSession(own[0]!.trace_id)).toBe(user);
    }
    expect(new Set(calls().map((span) => span.trace_id)).size).toBe(users.length);
  });

  it('stays with the handler when the client leaves before the first traced call', async () => {
    await boot({ incoming: 'continue', enrich: () => ({ metadata: { plan: 'free' } }) });
    const begun = once(steps, 'begun');
    const client = httpGet(`${url}/waiting/ann`, { headers: { traceparent: PARENT } });
    client.on('error', () => undefined);
    await begun;
    const closed = once(steps, 'closed');
    client.destroy();
    await closed;
    const done = once(steps, 'done');
    steps.emit('go on');
    await done;
    expect(requestSpans()).toMatchObject([
      { ...INCOMING, trace_function_key: 'GET /waiting/:user', status: 'cancelled' },
    ]);
    const [root] = requestSpans();
    expect(calls()).toHaveLength(2);
    for (const span of calls()) {
      expect(span).toMatchObject({ trace_id: INCOMING.trace_id, parent_id: root?.id });
    }
    expect(findSession(INCOMING.trace_id)).toBe('ann');
    expect(tracing.traces.some(({ metadata }) => metadata?.['plan'] === 'free')).toBe(true);
  });

  it('stays with the handler when the response is sent before the first traced call', async () => {
    await boot({ incoming: 'continue' });
    const done = once(steps, 'done');
    await (await fetch(`${url}/answered/ann`, { headers: { traceparent: PARENT } })).text();
    await done;
    expect(requestSpans()).toMatchObject([{ ...INCOMING, status: 'ok' }]);
    expect(calls()).toMatchObject([{ trace_id: INCOMING.trace_id, parent_id: requestSpans()[0]?.id }]);
    expect(findSession(INCOMING.trace_id)).toBe('ann');
  });

  it('is left by work that continues after the request: a trace of its own, without a session, with a note of its origin', async () => {
    await boot({ incoming: 'continue' });
    const closed = once(steps, 'closed');
    await (await fetch(`${url}/left-behind/ann`, { headers: { traceparent: PARENT } })).text();
    await closed;
    const done = once(steps, 'done');
    steps.emit('go on');
    await done;
    const [root] = requestSpans();
    expect(root).toMatchObject({ ...INCOMING, status: 'ok', span_data: { output: { status_code: 200 } } });
    const [late] = calls();
    expect(late?.trace_id).not.toBe(root?.trace_id);
    expect(late?.span_data.meta).toMatchObject({
      started_by: { trace_id: root?.trace_id, span_id: root?.id },
    });
    expect(findSession(late!.trace_id)).toBeUndefined();
  });

  it('is kept by work that was bound before the end: a trace of its own, with the session of the request', async () => {
    await boot();
    const closed = once(steps, 'closed');
    await (await fetch(`${url}/bound/ann`)).text();
    await closed;
    const done = once(steps, 'done');
    steps.emit('go on');
    await done;
    const [root] = requestSpans();
    const [late] = calls();
    expect(late?.trace_id).not.toBe(root?.trace_id);
    expect(findSession(late!.trace_id)).toBe('ann');
  });

  it('gives no session to sixty users whose pool calls back in the context of an ended request', async () => {
    await boot();
    await (await fetch(`${url}/pooled/opener`)).text();
    const users = Array.from({ length: 60 }, (_, index) => `u${index}`);
    await Promise.all(users.map(async (user) => (await fetch(`${url}/pooled/${user}`)).text()));
    await until(() => calls().length === users.length + 1);
    const late = calls().filter(({ span_data: { input } }) => input?.[0] !== 'opener');
    expect(late.map(({ trace_id: trace }) => findSession(trace))).toEqual(users.map(() => undefined));
    expect(new Set(late.map(({ trace_id: trace }) => trace)).size).toBe(users.length);
    expect(tracing.traces.filter(({ session_id: session }) => session !== undefined)).toMatchObject([
      { session_id: 'opener' },
    ]);
  });

  it('stays with an unawaited promise while a traced call of it is open', async () => {
    await boot();
    const closed = once(steps, 'closed');
    await (await fetch(`${url}/fire-and-forget/ann`)).text();
    await closed;
    const done = once(steps, 'done');
    steps.emit('go on');
    await done;
    await until(() => calls().length === 1 && tracing.spans.length === 3);
    expect(new Set(tracing.spans.map(({ trace_id: trace }) => trace)).size).toBe(1);
    expect(findSession(calls()[0]!.trace_id)).toBe('ann');
  });

  it.each([
    ['exclude returns true', 'left-behind', { exclude: () => true }],
    ['exclude returns true after the answer', 'left-behind-unnoted', { exclude: () => true }],
    ['its handler has NoTrace', 'health', {}],
  ])('records nothing, also later, if %s', async (_case, path, options) => {
    await boot(options);
    const closed = once(steps, 'closed');
    await (await fetch(`${url}/${path}/ann`)).text();
    await closed;
    const done = once(steps, 'done');
    steps.emit('go on');
    await done;
    expect(tracing.spans).toEqual([]);
  });

  it.each(['waiting', 'waiting-unnoted'])(
    'records nothing for an excluded request whose client disconnected: %s',
    async (path) => {
      await boot({ exclude: () => true });
      const begun = once(steps, 'begun');
      const client = httpGet(`${url}/${path}/ann`);
      client.on('error', () => undefined);
      await begun;
      const closed = once(steps, 'closed');
      client.destroy();
      await closed;
      const done = once(steps, 'done');
      steps.emit('go on');
      await done;
      expect(tracing.spans).toEqual([]);
    },
  );
});
