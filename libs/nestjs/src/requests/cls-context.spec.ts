import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  Req,
  Res,
} from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ClsModule, ClsService, ClsServiceManager } from 'nestjs-cls';
import { from, type Observable, switchMap } from 'rxjs';
import { getCurrentTrace } from '@dacapo/tracer';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';

type Cls = ClsService<{ user: string }>;
type Step = (request: UserRequest, response: unknown, next: () => void) => void;
interface UserRequest {
  readonly headers: Record<string, string>;
}
type Answer = ServerResponse & { readonly raw?: ServerResponse; send(body: string): void };

/** Calls back all requests in the context of the first one. */
@Injectable()
class CallbackPool {
  private readonly waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  query(answered: () => void): void {
    this.waiting.push(answered);
    this.timer ??= setInterval(() => {
      for (const answer of this.waiting.splice(0)) answer();
    }, 1).unref();
  }
}

@Injectable()
class Model {
  constructor(private readonly cls: ClsService<{ user: string }>) {}

  /** Notes the user of the request, and the user in nestjs-cls. */
  @Traced('ask')
  async ask(user: string): Promise<string> {
    return `${user} is ${this.cls.get('user')}`;
  }
}

@Controller()
class UserController {
  constructor(
    private readonly model: Model,
    private readonly pool: CallbackPool,
  ) {}

  @Get('user')
  async read(@Req() { headers }: UserRequest): Promise<{ answer: string }> {
    const user = String(headers['x-user']);
    getCurrentTrace().setSessionId(user);
    return { answer: await this.model.ask(user) };
  }

  @Get('listening')
  listening(@Req() { headers }: UserRequest, @Res() response: Answer): void {
    const user = String(headers['x-user']);
    getCurrentTrace().setSessionId(user);
    (response.raw ?? response).on('finish', () => void this.model.ask(user));
    this.pool.query(() => {
      response.send('{"answer":"later"}');
    });
  }
}

@Injectable()
class LateInterceptor implements NestInterceptor {
  constructor(private readonly pool: CallbackPool) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const handled = new Promise<Observable<unknown>>((resolve) => {
      this.pool.query(() => {
        resolve(next.handle());
      });
    });
    return from(handled).pipe(switchMap((answers) => answers));
  }
}

@Module({})
class UserModule implements NestModule {
  static steps: (pool: CallbackPool, model: Model, cls: Cls) => Step[] = () => [];

  constructor(
    private readonly pool: CallbackPool,
    private readonly model: Model,
    private readonly cls: ClsService<{ user: string }>,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    const steps = UserModule.steps(this.pool, this.model, this.cls);
    if (steps.length > 0) consumer.apply(...(steps as never[])).forRoutes(UserController);
  }
}

const late =
  (pool: CallbackPool): Step =>
  (_request, _response, next) => {
    pool.query(next);
  };

/** Does the same as the middleware that the module of nestjs-cls mounts. */
const entering =
  (cls: Cls): Step =>
  ({ headers }, _response, next) => {
    cls.run(() => {
      cls.set('user', String(headers['x-user']));
      next();
    });
  };

interface Shape {
  readonly name: string;
  readonly path?: string;
  readonly steps?: typeof UserModule.steps;
  readonly hasInterceptor?: boolean;
  readonly places?: readonly string[];
  add?(fastify: FastifyInstance, pool: CallbackPool): void;
}

const SHAPES: readonly Shape[] = [
  { name: 'a late middleware', steps: (pool, _model, cls) => [entering(cls), late(pool)] },
  {
    name: 'a late middleware before that of nestjs-cls, and one after it',
    steps: (pool, _model, cls) => [late(pool), entering(cls), late(pool)],
  },
  {
    name: 'a middleware that enters a context of its own after a late callback',
    steps: (pool, _model, cls) => [
      entering(cls),
      (request, response, next) => {
        pool.query(() => {
          entering(cls)(request, response, next);
        });
      },
      late(pool),
    ],
  },
  {
    name: 'a late interceptor',
    steps: (_pool, _model, cls) => [entering(cls)],
    hasInterceptor: true,
  },
  {
    name: 'a listener of a response that a pool sends',
    path: 'listening',
    steps: (_pool, _model, cls) => [entering(cls)],
    places: ['finish'],
  },
];

const FASTIFY_SHAPES: readonly Shape[] = [
  {
    name: 'late hooks',
    steps: (_pool, _model, cls) => [entering(cls)],
    add(fastify, pool) {
      for (const name of ['onRequest', 'preValidation', 'preHandler'])
        fastify.addHook(name as 'onRequest', (_request, _reply, done) => {
          pool.query(done);
        });
    },
  },
];

const shapes = [
  ...SHAPES.map((shape) => [`Express after ${shape.name}`, shape, () => new ExpressAdapter()] as const),
  ...[...SHAPES, ...FASTIFY_SHAPES].map(
    (shape) => [`Fastify after ${shape.name}`, shape, () => new FastifyAdapter()] as const,
  ),
];

describe('fifty requests of an application with nestjs-cls', () => {
  const USERS = 50;
  let app: INestApplication;

  async function boot(shape: Shape, adapter: object): Promise<string> {
    UserModule.steps = shape.steps ?? ((): Step[] => []);
    app = await NestFactory.create(
      {
        module: UserModule,
        imports: [TracerModule.forRoot(), TracerTestingModule.forRoot(), ClsModule.forRoot()],
        controllers: [UserController],
        providers: [
          Model,
          CallbackPool,
          ...(shape.hasInterceptor === true ? [{ provide: APP_INTERCEPTOR, useClass: LateInterceptor }] : []),
        ],
      },
      adapter as ExpressAdapter,
      { logger: false } as object,
    );
    shape.add?.(app.getHttpAdapter().getInstance() as FastifyInstance, app.get(CallbackPool));
    await app.listen(0, '127.0.0.1');
    return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/${shape.path ?? 'user'}`;
  }
  afterEach(() => app.close());

  it.each(shapes)('keep their user and their trace on %s', async (_title, shape, adapter) => {
    const url = await boot(shape, adapter());
    const users = Array.from({ length: USERS }, (_, index) => `user-${index}`);
    await Promise.all(
      users.map(async (user) => {
        const response = await fetch(url, { headers: { 'x-user': user } });
        expect([response.status, typeof (await response.json())]).toEqual([200, 'object']);
      }),
    );
    const tracing = app.get(TracerTestingModule);
    const calls = () => tracing.spans.filter(({ trace_function_key: key }) => key === 'ask');
    for (let turn = 0; turn < 5000 && calls().length < USERS; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    const outputs = calls().map(({ span_data: { output } }) => output as string);
    expect(outputs.sort()).toEqual(users.map((user) => `${user} is ${user}`).sort());
    expect(new Set(calls().map(({ trace_id: trace }) => trace)).size).toBe(USERS);
    expect(calls().filter(({ parent_id: parent }) => parent === undefined)).toEqual([]);
  });

  it.each([
    ['Express', () => new ExpressAdapter()],
    ['Fastify', () => new FastifyAdapter()],
  ])('share the context in which the application started on %s', async (_platform, adapter) => {
    const cls = ClsServiceManager.getClsService<{ user: string }>();
    const url = await cls.runWith({ user: 'everyone' }, () =>
      boot({ name: 'late', steps: (pool) => [late(pool), late(pool)] }, adapter()),
    );
    for (const user of ['ada', 'ben']) {
      const response = await fetch(url, { headers: { 'x-user': user } });
      expect(await response.json()).toEqual({ answer: `${user} is everyone` });
    }
  });
});
