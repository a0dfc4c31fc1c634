import 'reflect-metadata';
import { Module, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Traced, TracerModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';
import { assertMatchesRecording, withCassette } from '@dacapo/testing';
import { Tracer } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { mkdtempSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';

const ran: string[] = [];

@Injectable()
class Orders {
  @Traced('orders.find', { kind: 'tool' })
  async find(id: string): Promise<{ id: string; isLate: boolean }> {
    ran.push('orders.find');
    return Promise.resolve({ id, isLate: true });
  }
}

@Injectable()
class Support {
  constructor(private readonly orders: Orders) {}

  @Traced('support.answer')
  async answer(id: string): Promise<string> {
    const order = await this.orders.find(id);
    return order.isLate ? 'It is late.' : 'It is here.';
  }
}

@Module({ providers: [Orders, Support] })
class SupportModule {}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cassettes-'));
  ran.length = 0;
  delete process.env['CI'];
});

describe('a cassette in a Nest application', () => {
  const SETUPS = [
    ['without a key', () => TracerModule.forRoot({ apiKey: '' })],
    [
      'with a key and a service that is away',
      () =>
        TracerModule.forRoot({ apiKey: 'key', serviceUrl: 'http://127.0.0.1:9', delivery: { spool: false } }),
    ],
    ['with the testing module', () => TracerTestingModule.forRoot()],
  ] as const;

  it.each(SETUPS)('answers providers %s', async (_, tracing) => {
    const app = await Test.createTestingModule({ imports: [tracing(), SupportModule] }).compile();
    await app.init();
    const support = app.get(Support);
    await withCassette('late', { directory, mode: 'record' }, () => support.answer('o-1'));
    expect(ran.splice(0)).toEqual(['orders.find']);
    await withCassette('late', { directory }, () => assertMatchesRecording(support.answer('o-1')));
    expect(ran).toEqual([]);
    expect(app.get(Tracer).stats().recorded).toBe(0);
    await app.close();
  });
});

describe('a cassette with a wrapped client', () => {
  let server: http.Server;
  let requests = 0;
  beforeAll(async () => {
    server = http.createServer((request, response) => {
      requests++;
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        const message = { role: 'assistant', content: 'It is late.', refusal: null };
        response.end(
          JSON.stringify({
            id: 'chatcmpl-1',
            object: 'chat.completion',
            created: 1,
            model: 'gpt-5',
            choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message }],
            usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 },
          }),
        );
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => server.close());

  it.each([
    ['without a key', () => new Tracer({ apiKey: '' })],
    ['with a tracer in memory', () => createTestTracer().tracer],
  ] as const)('answers its requests without the network, %s', async (_, create) => {
    const tracer = create();
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const openai = tracer.wrapClient(new OpenAI({ apiKey: 'sk-none', baseURL, maxRetries: 0 }));
    const answer = tracer.withSpan('answer', async (question: string) => {
      const messages = [{ role: 'user' as const, content: question }];
      const { choices } = await openai.chat.completions.create({ model: 'gpt-5', messages });
      return choices[0]?.message.content;
    });
    requests = 0;
    await withCassette('model', { directory, mode: 'record' }, () => answer('Where is it?'));
    expect(requests).toBe(1);
    const text = readFileSync(join(directory, 'model.ndjson'), 'utf8');
    expect(text).toContain('"path":["answer","openai.chat.completions.create"]');
    await withCassette('model', { directory }, () => assertMatchesRecording(answer('Where is it?')));
    expect(requests).toBe(1);
    await withCassette('model', { directory, mode: 'renew' }, () => answer('Where is it?'));
    expect(readFileSync(join(directory, 'model.ndjson'), 'utf8')).toBe(text);
  });

  it('denies a client that is not wrapped', async () => {
    const tracer = new Tracer({ apiKey: '' });
    const { port } = server.address() as AddressInfo;
    const ask = tracer.withSpan('ask', async () => (await fetch(`http://127.0.0.1:${port}/`)).status);
    await withCassette('bare', { directory, mode: 'record' }, () => ask());
    requests = 0;
    const caught = withCassette('bare', { directory }, () => ask().catch(() => 0));
    await expect(caught).rejects.toThrow('cassettes deny the network');
    expect(requests).toBe(0);
  });
});
