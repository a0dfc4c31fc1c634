import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, type INestApplication, Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import request from 'supertest';
import { Tracer } from '@dacapo/tracer';
import { Traced } from '../tracing/traced.decorator.js';
import { TracerModule } from './tracer.module.js';

@Injectable()
class AppService {
  @Traced('hello')
  getHello(): string {
    return 'Hello World!';
  }
}

@Controller()
class AppController {
  constructor(private readonly appService: AppService) {}

  @Get()
  getHello(): string {
    return this.appService.getHello();
  }
}

/** Jest's default timeout for a hook. */
const JEST_DEFAULT_MS = 5000;

async function portWithoutListener(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// The end-to-end test that `nest new` generates.
describe('AppController (e2e) while no service listens', () => {
  let app: INestApplication;
  let tracer: Tracer;
  const spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-away-'));

  beforeEach(async () => {
    const port = await portWithoutListener();
    const moduleFixture: TestingModule = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          apiKey: 'key',
          serviceUrl: `http://127.0.0.1:${port}`,
          delivery: { spoolDir },
          logger: { warn: () => undefined },
        }),
      ],
      controllers: [AppController],
      providers: [AppService],
    }).compile();
    app = moduleFixture.createNestApplication();
    await app.init();
    tracer = app.get(Tracer);
  });

  afterEach(async () => {
    await app.close();
    const { waiting, spooled } = tracer.stats();
    expect([waiting, spooled]).toEqual([2, 2]);
  }, JEST_DEFAULT_MS);

  afterAll(() => {
    rmSync(spoolDir, { recursive: true, force: true });
  });

  it.each([1, 2])('/ (GET)', async () => {
    await request(app.getHttpServer() as never)
      .get('/')
      .expect(200)
      .expect('Hello World!');
  });
});
