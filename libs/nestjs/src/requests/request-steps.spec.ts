import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CallHandler,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  type Provider,
  Req,
  Res,
  Scope,
} from '@nestjs/common';
import { APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { defer, type Observable, switchMap } from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { getCurrentTrace } from '@dacapo/tracer';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';

const USERS = 50;
/** Calls that are not recorded after this many turns of the event loop count as missing. */
const MOST_TURNS = 5000;

/** A pool that calls back in the context of the request that opened its connection. */
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
  readonly pool = new CallbackPool();

  @Traced('ask')
  async ask(user: string, place: string): Promise<string> {
    return `${user} ${place}`;
  }

  query(): Promise<void> {
    return new Promise((resolve) => {
      this.pool.query(resolve);
    });
  }
}

interface UserRequest {
  readonly headers: Record<string, unknown>;
}
const readUser = ({ headers }: UserRequest): string => String(headers['x-user']);

type Answer = ServerResponse & { readonly raw?: ServerResponse };
const getRaw = (response: Answer): ServerResponse => response.raw ?? response;

@Controller()
class UsersController {
  constructor(private readonly model: Model) {}

  @Get('plain')
  plain(@Req() request: UserRequest): Promise<string> {
    getCurrentTrace().setSessionId(readUser(request));
    return this.model.ask(readUser(request), 'handler');
  }

  @Get('data')
  async data(@Req() request: UserRequest): Promise<{ text: string }> {
    return { text: await this.plain(request) };
  }

  @Get('listening')
  listening(@Req() request: UserRequest, @Res() response: Answer & { send(body: string): void }): void {
    const user = readUser(request);
    getCurrentTrace().setSessionId(user);
    getRaw(response).on('finish', () => void this.model.ask(user, 'finish'));
    getRaw(response).on('close', () => void this.model.ask(user, 'close'));
    // A session store also answers only after the session is saved.
    this.model.pool.query(() => {
      response.send('saved');
    });
  }
}

/** Calls the model in the callbacks of the pool, before and after the handler. */
abstract class AskingInterceptor implements NestInterceptor {
  constructor(readonly model: Model) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const user = readUser(context.switchToHttp().getRequest<UserRequest>());
    const { model } = this;
    const question = defer(() => model.ask(user, 'interceptor'));
    return question.pipe(
      switchMap(
        () =>
          new Promise<Observable<unknown>>((resolve) => {
            model.pool.query(() => {
              resolve(next.handle());
            });
          }),
      ),
      switchMap((answers) => answers),
    );
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestScopedInterceptor extends AskingInterceptor {
  constructor(@Inject(Model) model: Model) {
    super(model);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientInterceptor extends AskingInterceptor {
  constructor(@Inject(Model) model: Model) {
    super(model);
  }
}

interface Shape {
  readonly name: string;
  readonly path?: string;
  readonly providers?: readonly Provider[];
  readonly places: readonly string[];
  /** Traces per user. Default: 1, the request. */
  readonly tracesOfUser?: number;
  add?(app: INestApplication, model: Model): void;
}

const everywhere: readonly Shape[] = [
  {
    name: 'finish and close of a response that a session store sends',
    path: 'listening',
    places: ['finish', 'close'],
  },
  {
    name: 'interceptors in request scope',
    providers: [{ provide: APP_INTERCEPTOR, scope: Scope.REQUEST, useClass: RequestScopedInterceptor }],
    places: ['interceptor', 'handler'],
  },
  {
    name: 'interceptors in transient scope',
    providers: [{ provide: APP_INTERCEPTOR, scope: Scope.TRANSIENT, useClass: TransientInterceptor }],
    places: ['interceptor', 'handler'],
  },
  {
    name: 'interceptors that a factory makes for each request',
    providers: [
      {
        provide: APP_INTERCEPTOR,
        scope: Scope.REQUEST,
        inject: [Model],
        useFactory: (model: Model) => new RequestScopedInterceptor(model),
      },
    ],
    places: ['interceptor', 'handler'],
  },
];

type Step = (request: UserRequest, response: { send(body: string): void }, next: () => void) => void;
interface Router {
  use(...args: unknown[]): Router;
  get(path: string, ...steps: Step[]): Router;
  param(name: string, step: Step): Router;
}
/** Express has no types of its own. */
const express = jest.requireActual<(() => Router) & { Router(): Router }>('express');

/** A step that continues in the context of another request, and one that calls the model after it. */
const late =
  (model: Model): Step =>
  (_request, _response, next) => {
    model.pool.query(next);
  };
const asking =
  (model: Model, place: string): Step =>
  (request, _response, next) => {
    void model.ask(readUser(request), place).then(() => {
      next();
    });
  };
const answering: Step = (request, response) => {
  getCurrentTrace().setSessionId(readUser(request));
  response.send('done');
};

const onExpress: readonly Shape[] = [
  {
    name: 'middleware that follows a late middleware',
    places: ['middleware', 'handler'],
    add(app, model) {
      app.use(late(model));
      app.use(asking(model, 'middleware'));
    },
  },
  {
    name: 'the second step of a router',
    path: 'routed/steps',
    places: ['router', 'step'],
    add(app, model) {
      const router = express.Router();
      router.use(late(model), asking(model, 'router'));
      router.get('/steps', late(model), asking(model, 'step'), answering);
      app.use('/routed', router);
    },
  },
  {
    name: 'the second step of a router in a router',
    path: 'outer/inner/steps',
    places: ['inner'],
    add(app, model) {
      const inner = express.Router();
      inner.use(late(model), asking(model, 'inner'));
      inner.get('/steps', answering);
      app.use('/outer', express.Router().use('/inner', inner));
    },
  },
  {
    name: 'the second step of an application that is mounted',
    path: 'mounted/steps',
    places: ['mounted', 'step'],
    add(app, model) {
      const mounted = express();
      mounted.use(late(model), asking(model, 'mounted'));
      mounted.get('/steps', late(model), asking(model, 'step'), answering);
      app.use('/mounted', mounted);
    },
  },
  {
    name: 'a parameter that is looked up',
    path: 'routed/lookup/1',
    places: ['parameter', 'step'],
    add(app, model) {
      const router = express.Router();
      router.use(late(model));
      router.param('id', asking(model, 'parameter'));
      router.get('/lookup/:id', late(model), asking(model, 'step'), answering);
      app.use('/routed', router);
    },
  },
];

const HOOKS = ['onRequest', 'preValidation', 'preHandler'] as const;
const PAYLOAD_HOOKS = ['preParsing', 'preSerialization', 'onSend'] as const;

const onFastify: readonly Shape[] = [
  {
    name: 'the hooks that follow a late hook',
    path: 'data',
    places: [...HOOKS, ...PAYLOAD_HOOKS, 'onResponse', 'handler'],
    add(app, model) {
      const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
      for (const name of HOOKS) {
        fastify.addHook(name as 'onRequest', (_request, _reply, done) => {
          model.pool.query(done);
        });
        fastify.addHook(name as 'onRequest', async (request) => {
          await model.ask(readUser(request), name);
        });
      }
      for (const name of PAYLOAD_HOOKS) {
        fastify.addHook(name as 'onSend', (_request, _reply, payload, done) => {
          model.pool.query(() => {
            done(null, payload);
          });
        });
        fastify.addHook(name as 'onSend', async (request, _reply, payload) => {
          await model.ask(readUser(request), name);
          return payload;
        });
      }
      fastify.addHook('onResponse', async (request) => {
        await model.ask(readUser(request), 'onResponse');
      });
    },
  },
  {
    name: 'the hooks that follow a late onResponse hook, after the end',
    places: ['handler', 'onResponse'],
    tracesOfUser: 2,
    add(app, model) {
      const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
      fastify.addHook('onResponse', (_request, _reply, done) => {
        setTimeout(() => {
          model.pool.query(done);
        }, 20);
      });
      fastify.addHook('onResponse', async (request) => {
        await model.ask(readUser(request), 'onResponse');
      });
    },
  },
  {
    name: 'the hooks of a plugin and of its route',
    path: 'plugin',
    places: ['plugin', 'route', 'answer'],
    add(app, model) {
      const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
      void fastify.register(async (plugin) => {
        plugin.addHook('preHandler', (_request, _reply, done) => {
          model.pool.query(done);
        });
        plugin.addHook('preHandler', async (request) => {
          await model.ask(readUser(request), 'plugin');
        });
        plugin.get(
          '/plugin',
          {
            preHandler: [
              (_request, _reply, done) => {
                model.pool.query(done);
              },
              async (request) => {
                await model.ask(readUser(request), 'route');
              },
            ],
          },
          async (request) => {
            getCurrentTrace().setSessionId(readUser(request));
            return model.ask(readUser(request), 'answer');
          },
        );
      });
    },
  },
  {
    name: 'the handler of an error that a late hook passes on',
    path: 'plugin',
    places: ['error handler'],
    add(app, model) {
      const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
      void fastify.register(async (plugin) => {
        plugin.addHook('preHandler', (_request, _reply, done) => {
          model.pool.query(() => {
            done(new Error('refused'));
          });
        });
        plugin.setErrorHandler(async (_error, request, reply) => {
          getCurrentTrace().setSessionId(readUser(request));
          await reply.code(200).send(await model.ask(readUser(request), 'error handler'));
        });
        plugin.get('/plugin', async () => 'never');
      });
    },
  },
];

const shapes: readonly (readonly [string, Shape, () => object])[] = [
  ...[...everywhere, ...onExpress].map(
    (shape) => [`on Express: ${shape.name}`, shape, () => new ExpressAdapter()] as const,
  ),
  ...[...everywhere, ...onFastify].map(
    (shape) => [`on Fastify: ${shape.name}`, shape, () => new FastifyAdapter()] as const,
  ),
];

describe('fifty requests that share a pool with callbacks', () => {
  let app: INestApplication;

  afterEach(() => app.close());

  async function boot(shape: Shape, adapter: object): Promise<string> {
    const users: DynamicModule = {
      module: UsersModule,
      imports: [TracerModule.forRoot(), TracerTestingModule.forRoot()],
      controllers: [UsersController],
      providers: [Model, ...(shape.providers ?? [])],
    };
    app = await NestFactory.create(users, adapter as ExpressAdapter, { logger: false } as object);
    shape.add?.(app, app.get(Model));
    await app.listen(0, '127.0.0.1');
    return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/${shape.path ?? 'plain'}`;
  }

  const calls = (): SpanRecord[] =>
    app.get(TracerTestingModule).spans.filter((span) => span.trace_function_key === 'ask');

  it.each(shapes)('keep their own trace and session %s', async (_title, shape, adapter) => {
    const url = await boot(shape, adapter());
    const users = Array.from({ length: USERS }, (_, index) => `user-${index}`);
    const statuses = await Promise.all(
      users.map(async (user) => {
        const response = await fetch(url, { headers: { 'x-user': user } });
        await response.text();
        return response.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (let turn = 0; turn < MOST_TURNS && calls().length < USERS * shape.places.length; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    const sessions = new Map(
      app.get(TracerTestingModule).traces.map(({ id, session_id: session }) => [id, session]),
    );
    const found = calls().map(({ trace_id: trace, parent_id: parent, span_data: { input } }) => ({
      trace,
      call: `${input?.[0] as string} ${input?.[1] as string}`,
      isRoot: parent === undefined,
      session: sessions.get(trace),
    }));
    const expected = users.flatMap((user) => shape.places.map((place) => `${user} ${place}`));
    expect(found.map(({ call }) => call).sort()).toEqual(expected.sort());
    const isWrong = ({ call, isRoot, session }: (typeof found)[number]): boolean =>
      (isRoot && shape.tracesOfUser === undefined) || session !== call.split(' ')[0];
    expect(found.filter(isWrong).slice(0, 3)).toEqual([]);
    expect(new Set(found.map(({ trace }) => trace)).size).toBe(USERS * (shape.tracesOfUser ?? 1));
  });
});

@Module({})
class UsersModule {}
