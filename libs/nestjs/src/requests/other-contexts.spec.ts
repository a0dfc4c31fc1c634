import type { AddressInfo } from 'node:net';
import { Controller, Get, type INestApplication, Injectable, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ClsModule, ClsService } from 'nestjs-cls';
import { getCurrentTrace } from '@dacapo/tracer';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string): Promise<string> {
    return user;
  }
}

@Controller('user')
class UserController {
  constructor(
    private readonly model: Model,
    private readonly cls: ClsService<{ user: string }>,
  ) {}

  @Get()
  read(): Promise<string> {
    getCurrentTrace().setSessionId('session');
    return this.model.ask(this.cls.get('user'));
  }

  @Post()
  write(): Promise<string> {
    return this.read();
  }
}

const middleware: object = {
  mount: true,
  setup: (cls: ClsService, request: { headers: Record<string, string> }) => {
    cls.set('user', request.headers['x-user']);
  },
};
const clsOptions: object = { global: true, middleware };

@Module({
  imports: [TracerModule.forRoot(), TracerTestingModule.forRoot(), ClsModule.forRoot(clsOptions)],
  controllers: [UserController],
  providers: [Model],
})
class UserModule {}

type Init = RequestInit & { readonly parts?: readonly string[] };

/** Sends each part in its own turn, so that the server reads them in socket events. */
function arrivingInParts(parts: readonly string[]): ReadableStream<Uint8Array> {
  const waiting = [...parts];
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const part = waiting.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(part));
    },
  });
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a request on %s with nestjs-cls', (_platform, createAdapter) => {
  let app: INestApplication;

  beforeEach(async () => {
    app = await NestFactory.create(
      UserModule,
      createAdapter() as ExpressAdapter,
      { logger: false } as object,
    );
    await app.listen(0, '127.0.0.1');
  });
  afterEach(() => app.close());

  it.each([
    ['without a body', { method: 'GET' }],
    ['with a body', { method: 'POST', body: '{"text":"why"}' }],
    ['with a body that arrives in parts', { method: 'POST', parts: ['{"text":', '"why"}'] }],
  ])('keeps its user and its trace in the handler %s', async (_case, { parts, ...init }: Init) => {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
    const answers = await Promise.all(
      users.map(async (user) => {
        const headers = { 'x-user': user, 'content-type': 'application/json' };
        const streamed = parts === undefined ? {} : { body: arrivingInParts(parts), duplex: 'half' };
        const requestInit = { ...init, ...streamed, headers } as RequestInit;
        return (await fetch(`http://127.0.0.1:${port}/user`, requestInit)).text();
      }),
    );
    expect(answers).toEqual(users);
    const calls = app.get(TracerTestingModule).spans.filter(({ trace_function_key: key }) => key === 'ask');
    expect(calls.map(({ parent_id: parent }) => parent)).not.toContain(undefined);
    expect(new Set(calls.map(({ trace_id: trace }) => trace)).size).toBe(users.length);
  });
});
