import { Controller, Get, Injectable, Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import axios from 'axios';
import type { AddressInfo } from 'node:net';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { propagateThroughAxios } from './axios.js';
import { createTracedFetch } from './fetch.js';

@Controller()
class Downstream {
  @Get('answer')
  @Traced('downstream')
  answer(): string {
    return 'yes';
  }
}

@Injectable()
class Upstream {
  url = '';

  @Traced('upstream')
  async ask(send: (url: string) => Promise<unknown>): Promise<void> {
    await send(`${this.url}/answer`);
  }
}

async function start(controller?: Type, provider?: Type): Promise<TestingModule> {
  @Module({
    imports: [TracerTestingModule.forRoot({ incoming: 'continue' })],
    controllers: controller ? [controller] : [],
    providers: provider ? [provider] : [],
  })
  class AppModule {}
  return Test.createTestingModule({ imports: [AppModule] }).compile();
}

describe('two services, of which the second continues incoming traces', () => {
  let upstream: TestingModule;
  let downstream: TestingModule;
  let close: () => Promise<void>;

  beforeEach(async () => {
    upstream = await start(undefined, Upstream);
    downstream = await start(Downstream);
    const server = downstream.createNestApplication({ logger: false, forceCloseConnections: true } as object);
    await server.listen(0, '127.0.0.1');
    const { port } = server.getHttpServer().address() as AddressInfo;
    upstream.get(Upstream).url = `http://127.0.0.1:${port}`;
    close = () => server.close();
  });
  afterEach(async () => {
    await close();
    await upstream.close();
  });

  it.each<[string, () => (url: string) => Promise<unknown>]>([
    ['fetch', () => createTracedFetch()],
    ['a given fetch', () => createTracedFetch(fetch)],
    [
      'axios',
      () => {
        const client = axios.create({ adapter: 'http' });
        propagateThroughAxios(client);
        return (url) => client.get(url);
      },
    ],
  ])('make one trace through %s', async (_way, createSend) => {
    await upstream.get(Upstream).ask(createSend());
    const [askSpan] = upstream.get(TracerTestingModule).spans;
    const received = downstream.get(TracerTestingModule).spans;
    expect(received[0]).toMatchObject({ trace_function_key: 'downstream', trace_id: askSpan?.trace_id });
  });

  it('send no traceparent outside a span', async () => {
    let sent: Headers | undefined;
    const send = createTracedFetch(async (_input, init) => {
      sent = new Headers(init?.headers);
      return new Response('');
    });
    await send('http://127.0.0.1:1/');
    expect(sent?.has('traceparent')).toBe(false);
  });

  it('send no traceparent after propagation through axios was stopped', async () => {
    const client = axios.create({ adapter: 'http' });
    propagateThroughAxios(client)();
    await upstream.get(Upstream).ask((url) => client.get(url));
    const [askSpan] = upstream.get(TracerTestingModule).spans;
    expect(downstream.get(TracerTestingModule).spans[0]?.trace_id).not.toBe(askSpan?.trace_id);
  });
});
