import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  type LoggerService,
  Module,
  Param,
  ParseIntPipe,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import type { RequestOptions } from '../request-options.js';
import { TracerInterceptor } from './tracer.interceptor.js';

interface UserRequest {
  readonly headers: Record<string, string | undefined>;
  user?: string;
}

type Middleware = (request: unknown, response: unknown, next: () => void) => void;

@Injectable()
class Model {
  @Traced('ask')
  async ask(place: string): Promise<string> {
    return place;
  }
}

@Injectable()
class GlobalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const userRequest = context.switchToHttp().getRequest<UserRequest>();
    userRequest.user = userRequest.headers['x-user'] ?? 'nobody';
    return true;
  }
}

/** A guard of the method, which runs last. */
@Injectable()
class OwnGuard implements CanActivate {
  constructor(private readonly model: Model) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.model.ask('guard');
    const userRequest = context.switchToHttp().getRequest<UserRequest>();
    userRequest.user = `${userRequest.user ?? ''} of ${context.getHandler().name}`;
    return userRequest.headers['x-user'] !== 'mallory';
  }
}

abstract class InheritedController {
  constructor(readonly model: Model) {}

  @Get('inherited')
  inherited(): Promise<string> {
    return this.model.ask('handler');
  }
}

@Controller('other')
class OtherController extends InheritedController {
  constructor(@Inject(Model) model: Model) {
    super(model);
  }
}

@Controller()
class UsersController extends InheritedController {
  constructor(@Inject(Model) model: Model) {
    super(model);
  }

  @Get('guarded')
  @UseGuards(OwnGuard)
  guarded(): Promise<string> {
    return this.model.ask('handler');
  }

  @Get('number/:id')
  @UseGuards(OwnGuard)
  withPipe(@Param('id', ParseIntPipe) id: number): number {
    return id;
  }

  @Get('untraced')
  @UseGuards(OwnGuard)
  untraced(@Req() { user }: UserRequest): string {
    return user ?? '';
  }
}

const enrich: RequestOptions['enrich'] = (context) => ({
  sessionId: context.switchToHttp().getRequest<UserRequest>().user,
  metadata: { handler: `${context.getClass().name}.${context.getHandler().name}` },
});

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('enrich on %s, without an interceptor', (_platform, createAdapter) => {
  async function boot(module = TracerModule.forRoot({ enrich }), middleware?: (model: Model) => Middleware) {
    const app = await NestFactory.create(
      {
        module: UsersModule,
        imports: [module, TracerTestingModule.forRoot({ enrich })],
        controllers: [UsersController, OtherController],
        providers: [Model, OwnGuard, { provide: APP_GUARD, useClass: GlobalGuard }],
      },
      createAdapter() as ExpressAdapter,
      { logger: false } as object,
    );
    if (middleware !== undefined) app.use(middleware(app.get(Model)));
    await app.listen(0, '127.0.0.1');
    const get = (path: string, user: string) =>
      request(app.getHttpServer()).get(`/${path}`).set('x-user', user);
    return { app, get, tracing: app.get(TracerTestingModule) };
  }

  it.each([
    ['forRoot', () => TracerModule.forRoot({ enrich })],
    ['the factory of forRootAsync', () => TracerModule.forRootAsync({ useFactory: () => ({ enrich }) })],
    ['forRoot with the interceptor', () => TracerModule.forRoot({ enrich, interceptor: true })],
  ])('is called after all guards in %s', async (_given, module) => {
    const { app, get, tracing } = await boot(module());
    await get('guarded', 'ada').expect(200);
    await get('inherited', 'ben').expect(200);
    await get('other/inherited', 'cleo').expect(200);
    expect(tracing.traces).toMatchObject([
      { session_id: 'ada of guarded', metadata: { handler: 'UsersController.guarded' } },
      { session_id: 'ben', metadata: { handler: 'UsersController.inherited' } },
      { session_id: 'cleo', metadata: { handler: 'OtherController.inherited' } },
    ]);
    await app.close();
  });

  it('adds no guard to a route', async () => {
    const { app } = await boot();
    const guards: unknown = Reflect.getMetadata(GUARDS_METADATA, UsersController.prototype.guarded);
    expect(guards).toEqual([OwnGuard]);
    await app.close();
  });

  it('is called after the guards if middleware is traced before them', async () => {
    const { app, get, tracing } = await boot(undefined, (model) => (_request, _response, next) => {
      void model.ask('middleware').then(() => {
        next();
      });
    });
    await get('guarded', 'ada').expect(200);
    expect(tracing.traces).toMatchObject([{ session_id: 'ada of guarded' }]);
    expect(tracing.spans.filter(({ trace_function_key: key }) => key === 'ask')).toHaveLength(3);
    await app.close();
  });

  it('is called for a request that a pipe refuses, but not for one that a guard refuses', async () => {
    const { app, get, tracing } = await boot();
    await get('number/none', 'ada').expect(400);
    await get('number/1', 'mallory').expect(403);
    expect(tracing.traces.map(({ session_id: session }) => session)).toEqual(['ada of withPipe']);
    expect(tracing.spans.filter(({ trace_function_key: key }) => key === 'ask')).toHaveLength(2);
    await app.close();
  });

  it('is called once per request with a traced call, in each of several applications', async () => {
    const called: string[] = [];
    const counting = (name: string) =>
      TracerModule.forRoot({
        enrich: (context) => {
          called.push(`${name} ${context.getHandler().name}`);
          return {};
        },
      });
    const [first, second] = [await boot(counting('first')), await boot(counting('second'))];
    await first.get('guarded', 'ada').expect(200);
    await second.get('guarded', 'ben').expect(200);
    expect(called).toEqual(['first guarded', 'second guarded']);
    await first.app.close();
    await second.app.close();
  });

  it('leaves responses unchanged when it throws', async () => {
    const broken = TracerModule.forRoot({
      enrich: () => {
        throw new Error('broken');
      },
    });
    const { app, get } = await boot(broken);
    const { text } = await get('untraced', 'ada').expect(200);
    expect(text).toBe('ada of untraced');
    await app.close();
  });
});

describe('enrich with message handlers that have no known interceptor', () => {
  @Controller()
  class BareController {
    @MessagePattern('ask')
    ask(): string {
      return 'answer';
    }
  }

  @Controller()
  @UseInterceptors(TracerInterceptor)
  class CoveredController {
    @MessagePattern('covered')
    covered(): string {
      return 'answer';
    }
  }

  async function warnings(options: Parameters<typeof TracerModule.forRoot>[0]): Promise<unknown[]> {
    const warnings: unknown[] = [];
    const nothing = (): void => undefined;
    const logger: LoggerService = { log: nothing, error: nothing, warn: (message) => warnings.push(message) };
    const module = await Test.createTestingModule({
      imports: [TracerModule.forRoot(options), TracerTestingModule.forRoot()],
      controllers: [BareController, CoveredController],
    })
      .setLogger(logger)
      .compile();
    const app = module.createNestApplication();
    await app.init();
    await app.close();
    return warnings;
  }

  it('warns at the start and names the handlers', async () => {
    expect(await warnings({ enrich })).toEqual([
      expect.stringMatching(/^enrich is not called for BareController\.ask\. Pass interceptor: true/),
    ]);
  });

  it.each([{ enrich, interceptor: true }, { enrich, interceptor: false }, {}])(
    'does not warn with %j',
    async (options) => {
      expect(await warnings(options)).toEqual([]);
    },
  );
});

@Module({})
class UsersModule {}
