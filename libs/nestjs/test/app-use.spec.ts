import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Controller, Get } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModule } from '@nestjs/testing';
import request from 'supertest';
import { Traced, TracerModule } from '../src/index.js';
import { TracerTestingModule } from '../src/testing.js';

class Model {
  @Traced('ask')
  async ask(place: string): Promise<string> {
    return place;
  }
}

@Controller()
class PlainController {
  @Get('plain')
  async get(): Promise<string> {
    return new Model().ask('handler');
  }
}

async function compile(): Promise<TestingModule> {
  return Test.createTestingModule({
    imports: [TracerModule.forRoot(), TracerTestingModule.forRoot()],
    controllers: [PlainController],
  }).compile();
}

async function waitForRoots(tracing: TracerTestingModule, count: number): Promise<string[]> {
  const roots = (): string[] =>
    tracing.spans.filter((span) => span.parent_id === undefined).map((span) => span.trace_function_key);
  while (roots().length < count) await new Promise((resolve) => setImmediate(resolve));
  return roots();
}

const useModel = (_request: unknown, _response: unknown, next: () => void): void => {
  void new Model().ask('app.use').then(() => {
    next();
  });
};

describe('a traced call in app.use', () => {
  it('is part of the trace of its request on Express', async () => {
    const app = (await compile()).createNestApplication<NestExpressApplication>();
    app.use(useModel);
    await app.init();
    await request(app.getHttpServer()).get('/plain').expect(200);
    const tracing = app.get(TracerTestingModule);
    expect(await waitForRoots(tracing, 1)).toEqual(['HTTP GET']);
    expect(tracing.spans).toHaveLength(3);
    await app.close();
  });

  it('is part of the trace of its request if another server calls Express', async () => {
    const app = (await compile()).createNestApplication<NestExpressApplication>();
    app.use(useModel);
    await app.init();
    const express = app.getHttpAdapter().getInstance() as RequestListener;
    await request(createServer(express)).get('/plain').expect(200);
    expect(await waitForRoots(app.get(TracerTestingModule), 1)).toEqual(['HTTP GET']);
    await app.close();
  });

  it('in a handler is part of the trace of its HTTP/2 request', async () => {
    const app = (await compile()).createNestApplication<NestFastifyApplication>(
      new FastifyAdapter({ http2: true }),
    );
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const client = connect(`http://127.0.0.1:${port}`);
    for (const stream of [client.request({ ':path': '/plain' }), client.request({ ':path': '/plain' })]) {
      stream.resume();
      await once(stream, 'end');
    }
    const roots = await waitForRoots(app.get(TracerTestingModule), 2);
    expect(roots).toEqual(['GET /plain', 'GET /plain']);
    client.close();
    await app.close();
  });

  it('is a trace of its own on Fastify, where middleware runs before the request is opened', async () => {
    const app = (await compile()).createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    app.use(useModel);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    await request(app.getHttpServer()).get('/plain').expect(200);
    const tracing = app.get(TracerTestingModule);
    expect((await waitForRoots(tracing, 2)).sort()).toEqual(['GET /plain', 'ask']);
    await app.close();
  });
});
