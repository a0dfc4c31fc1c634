import { Controller, Get, Inject, Injectable, Module, Param, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import request from 'supertest';
import { InvalidModuleOptionError } from '../errors.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { type TracedClientAsyncOptions, TracedClientModule } from './traced-client.module.js';

const OPENAI = Symbol('openai');

let model: Server;
let baseURL: string;
/** The keys of the requests to the model, in order. */
const keys: string[] = [];

beforeAll(async () => {
  model = createServer((requests, response) => {
    keys.push(String(requests.headers.authorization).replace('Bearer ', ''));
    requests.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ id: '1', choices: [{ message: { content: 'mild' } }], usage: { prompt_tokens: 3 } }),
    );
  });
  await new Promise<void>((resolve) => {
    model.listen(0, '127.0.0.1', resolve);
  });
  baseURL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  model.closeAllConnections();
  model.close();
});
beforeEach(() => {
  keys.length = 0;
});

@Injectable()
class Desk {
  constructor(@Inject(OPENAI) private readonly openai: OpenAI) {}

  @Traced('desk')
  async ask(content: string): Promise<string | null> {
    const answer = await this.openai.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content }],
    });
    return answer.choices[0]!.message.content;
  }
}

@Controller()
class DeskController {
  constructor(private readonly desk: Desk) {}

  @Get('ask/:tenant')
  ask(@Param('tenant') tenant: string): Promise<string | null> {
    return this.desk.ask(tenant);
  }
}

const newClient = (apiKey = 'app'): OpenAI => new OpenAI({ apiKey, baseURL });

function building(client: Parameters<typeof Test.createTestingModule>[0]['imports']): TestingModuleBuilder {
  return Test.createTestingModule({
    imports: [TracerTestingModule.forRoot(), ...(client ?? [])],
    providers: [Desk],
    controllers: [DeskController],
  });
}

const ways: Record<string, () => Omit<TracedClientAsyncOptions<OpenAI>, 'provide'>> = {
  useFactory: () => ({
    imports: [ConfigModule],
    inject: [Config],
    useFactory: (config: Config) => newClient(config.key),
  }),
  useClass: () => ({ useClass: Clients }),
  useExisting: () => ({ imports: [ConfigModule], useExisting: Clients }),
};

@Injectable()
class Config {
  readonly key = 'configured';
}

@Injectable()
class Clients {
  createClient(): Promise<OpenAI> {
    return Promise.resolve(newClient('configured'));
  }
}

@Module({ providers: [Config, Clients], exports: [Config, Clients] })
class ConfigModule {}

describe('TracedClientModule', () => {
  it.each(Object.entries(ways))('provides a recorded client by its token, created by %s', async (_, way) => {
    const app = await building([TracedClientModule.forRootAsync({ provide: OPENAI, ...way() })]).compile();
    expect(await app.get(Desk).ask('Weather?')).toBe('mild');
    const [call, desk] = app.get(TracerTestingModule).spans;
    expect(call).toMatchObject({
      name: 'openai.chat.completions.create',
      parent_id: desk!.id,
      span_data: { usage: { input_tokens: 3 } },
    });
    expect(keys).toEqual(['configured']);
    await app.close();
  });

  it('records an existing client, injected by its class', async () => {
    const client = newClient();
    const app = await building([TracedClientModule.forRoot({ provide: OpenAI, client, isGlobal: true })])
      .useMocker((token) => (token === OPENAI ? client : undefined))
      .compile();
    expect(app.get(OpenAI, { strict: false })).toBe(client);
    await app.get(Desk).ask('Weather?');
    expect(app.get(TracerTestingModule).spans).toHaveLength(2);
    await app.close();
  });

  it('is replaced in a test through its token', async () => {
    const requests: unknown[] = [];
    const create = (body: unknown): object => {
      requests.push(body);
      return { choices: [{ message: { content: 'stubbed' } }] };
    };
    const app = await building([
      TracedClientModule.forRootAsync({
        provide: OPENAI,
        useFactory: () => {
          throw new Error('no key in a test');
        },
      }),
    ])
      .overrideProvider(OPENAI)
      .useValue({ chat: { completions: { create } } })
      .compile();
    expect(await app.get(Desk).ask('Weather?')).toBe('stubbed');
    expect([requests.length, keys]).toEqual([1, []]);
    await app.close();
  });

  it('creates one client per request, with the key of its tenant', async () => {
    const module = await building([
      TracedClientModule.forRootAsync({
        provide: OPENAI,
        scope: Scope.REQUEST,
        inject: [REQUEST],
        useFactory: ({ url }: { url: string }) => newClient(`key of ${url.split('/').at(-1)}`),
      }),
    ]).compile();
    const app = module.createNestApplication();
    await app.init();
    const server = app.getHttpServer();
    await Promise.all(
      ['a', 'b', 'c'].map((tenant) => request(server).get(`/ask/${tenant}`).expect(200, 'mild')),
    );
    expect([...keys].sort()).toEqual(['key of a', 'key of b', 'key of c']);
    const { spans } = app.get(TracerTestingModule);
    const calls = spans.filter(({ type }) => type === 'llm');
    expect(calls.map(({ span_data }) => span_data.prompt).sort()).toEqual([
      'user:\na',
      'user:\nb',
      'user:\nc',
    ]);
    expect(new Set(calls.map(({ trace_id }) => trace_id)).size).toBe(3);
    expect(JSON.stringify(spans)).not.toContain('key of');
    await app.close();
  });

  it('wraps a client of the Model Context Protocol with wrapMcpClient', async () => {
    const ask = (): Promise<object> => Promise.resolve({ content: [] });
    const client = { callTool: ask, listTools: ask, readResource: ask, getPrompt: ask, connect: ask };
    const app = await Test.createTestingModule({
      imports: [TracerTestingModule.forRoot(), TracedClientModule.forRoot({ provide: 'mcp', client })],
    }).compile();
    await app
      .get<{ callTool(params: object): Promise<object> }>('mcp', { strict: false })
      .callTool({ name: 'look' });
    expect(app.get(TracerTestingModule).spans).toMatchObject([{ name: 'look' }]);
    await app.close();
  });

  it('reports invalid options and what to do', async () => {
    expect(() => TracedClientModule.forRootAsync({ provide: OPENAI })).toThrow(InvalidModuleOptionError);
    const two = { useFactory: newClient, useClass: Clients };
    expect(() => TracedClientModule.forRootAsync({ provide: OPENAI, ...two })).toThrow(/exactly one/);
    const unknown = building([TracedClientModule.forRoot({ provide: OPENAI, client: {} })]).compile();
    await expect(unknown).rejects.toThrow(/Pass an instance of OpenAI/);
  });
});
