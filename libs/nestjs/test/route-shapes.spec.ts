import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Header,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Param,
  Redirect,
  Scope,
  StreamableFile,
  UseFilters,
  Version,
  VersioningType,
} from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import request from 'supertest';
import { TracerModule } from '../src/module/tracer.module.js';
import { TracerTestingModule } from '../src/testing/tracer-testing.module.js';
import { Traced } from '../src/tracing/traced.decorator.js';

@Injectable()
class Model {
  @Traced('ask')
  async ask(place: string): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    return place;
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequestModel {
  @Traced('ask')
  async ask(place: string): Promise<string> {
    return place;
  }
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class DurableModel {
  @Traced('ask')
  async ask(place: string): Promise<string> {
    return place;
  }
}

class Refusal extends Error {}

@Catch(Refusal)
class AskingFilter implements ExceptionFilter {
  constructor(private readonly model: Model) {}
  async catch(_refusal: Refusal, host: ArgumentsHost): Promise<void> {
    const text = await this.model.ask('filter');
    const http = host.switchToHttp();
    http.getResponse<{ status(code: number): { send(body: string): void } }>().status(418).send(text);
  }
}

@Controller('shapes')
class ShapesController {
  constructor(@Inject(Model) private readonly model: Model) {}

  @Get('file/:user')
  file(): StreamableFile {
    const model = this.model;
    const parts = async function* (): AsyncGenerator<string> {
      yield await model.ask('first part');
      yield await model.ask('last part');
    };
    return new StreamableFile(Readable.from(parts()));
  }

  @Get('v/:user')
  @Version('2')
  versioned(): Promise<string> {
    return this.model.ask('version 2');
  }

  @Get('code/:user')
  @HttpCode(202)
  @Header('x-answer', 'yes')
  code(): Promise<string> {
    return this.model.ask('code');
  }

  @Get('away/:user')
  @Redirect('https://example.com', 307)
  async away(): Promise<void> {
    await this.model.ask('redirect');
  }

  @Get('filtered/:user')
  @UseFilters(AskingFilter)
  filtered(): never {
    throw new Refusal();
  }
}

@Controller('scoped')
class ScopedController {
  constructor(
    @Inject(PerRequestModel) private readonly perRequest: PerRequestModel,
    @Inject(DurableModel) private readonly durable: DurableModel,
  ) {}

  @Get(':user')
  async ask(@Param('user') user: string): Promise<string> {
    await this.durable.ask('durable');
    return this.perRequest.ask(user);
  }
}

@Module({})
class LazyModule {}

@Module({})
class AppModule {}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a route on %s', (_platform, createAdapter) => {
  async function boot() {
    const options = { logger: false } as object;
    const module = {
      module: AppModule,
      imports: [
        TracerModule.forRoot({
          enrich: (context) => ({
            sessionId: context.switchToHttp().getRequest<{ params: { user: string } }>().params.user,
            tags: [`${context.getClass().name}.${context.getHandler().name}`],
          }),
        }),
        TracerTestingModule.forRoot(),
      ],
      controllers: [ShapesController, ScopedController],
      providers: [Model, PerRequestModel, DurableModel, AskingFilter],
    };
    const app = await NestFactory.create(module, createAdapter() as ExpressAdapter, options);
    app.setGlobalPrefix('api');
    app.enableVersioning({ type: VersioningType.HEADER, header: 'x-version', defaultVersion: '1' });
    await app.listen(0, '127.0.0.1');
    return { app, server: app.getHttpServer(), tracing: app.get(TracerTestingModule) };
  }

  it.each([
    ['shapes/file', 'ShapesController.file', 200, ['first part', 'last part']],
    ['shapes/v', 'ShapesController.versioned', 200, ['version 2']],
    ['shapes/code', 'ShapesController.code', 202, ['code']],
    ['shapes/away', 'ShapesController.away', 307, ['redirect']],
    ['shapes/filtered', 'ShapesController.filtered', 418, ['filter']],
    ['scoped', 'ScopedController.ask', 200, ['durable', 'user-7']],
  ])(
    '%s/:user keeps the calls of each user in a trace with what enrich returns',
    async (path, handler, status, places) => {
      const { app, server, tracing } = await boot();
      const users = Array.from({ length: 10 }, (_, index) => `user-${index}`);
      const version = path === 'shapes/v' ? '2' : '1';
      await Promise.all(
        users.map((user) =>
          request(server).get(`/api/${path}/${user}`).set('x-version', version).expect(status),
        ),
      );
      expect(tracing.traces.map(({ session_id: session }) => session).sort()).toEqual(users);
      const seventh = tracing.traces.find(({ session_id: session }) => session === 'user-7');
      expect(seventh).toMatchObject({ tags: [handler] });
      const calls = tracing.spans.filter(({ trace_id: id }) => id === seventh?.id);
      expect(calls.map(({ trace_function_key: key }) => key).sort()).toEqual(
        [`GET /api/${path}/:user`, ...places.map(() => 'ask')].sort(),
      );
      expect(
        calls
          .filter(({ trace_function_key: key }) => key === 'ask')
          .map(({ span_data: data }) => (data.input as string[])[0]),
      ).toEqual(places);
      await app.close();
    },
  );

  it('finishes its trace when the application closes during the request', async () => {
    const { app, server, tracing } = await boot();
    const answered = request(server)
      .get('/api/shapes/code/ada')
      .set('x-version', '1')
      .then(({ status }) => status);
    await new Promise((resolve) => server.once('request', resolve));
    await Promise.all([app.close(), answered]);
    expect(await answered).toBe(202);
    expect(tracing.spans.map(({ trace_function_key: key }) => key).sort()).toEqual([
      'GET /api/shapes/code/:user',
      'ask',
    ]);
  });

  it('stays traced when a module is loaded lazily', async () => {
    const { app, server, tracing } = await boot();
    const loader = app.get(LazyModuleLoader);
    const loaded = await loader.load(() => ({
      module: LazyModule,
      providers: [{ provide: 'lazy', useClass: Model }],
    }));
    await loaded.get<Model>('lazy').ask('lazy');
    await request(server).get('/api/shapes/code/ada').set('x-version', '1').expect(202);
    expect(tracing.spans.filter(({ trace_function_key: key }) => key === 'ask')).toHaveLength(2);
    await app.close();
  });
});
