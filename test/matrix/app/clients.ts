import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Inject, Injectable, Module, Param, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { Traced, type TracedClientAsyncOptions, TracedClientModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A client like a vendor's. It returns the key that it was created with. */
class ModelClient {
  readonly models = {};
  readonly chat = {
    completions: {
      create: ({ model }: ChatRequest): Promise<{ model: string; text: string }> =>
        Promise.resolve({ model, text: this.apiKey }),
    },
  };

  constructor(private readonly apiKey: string) {}
}

const MODEL = Symbol('model');
const KEY = Symbol('key');

@Module({ providers: [{ provide: KEY, useValue: 'own' }], exports: [KEY] })
class ConfigModule {}

@Injectable()
class Desk {
  constructor(@Inject(MODEL) private readonly model: ModelClient) {}

  @Traced('desk')
  async ask(content: string): Promise<string> {
    const messages = [{ role: 'user', content }];
    return (await this.model.chat.completions.create({ model: 'm', messages })).text;
  }
}

@Controller('ask')
class DeskController {
  constructor(@Inject(Desk) private readonly desk: Desk) {}

  @Get(':tenant')
  ask(@Param('tenant') tenant: string): Promise<string> {
    return this.desk.ask(tenant);
  }
}

function building(options: Omit<TracedClientAsyncOptions<ModelClient>, 'provide'>): TestingModuleBuilder {
  return Test.createTestingModule({
    imports: [
      TracerTestingModule.forRoot(),
      TracedClientModule.forRootAsync<ModelClient>({ provide: MODEL, ...options }),
    ],
    controllers: [DeskController],
    providers: [Desk],
  });
}

/** A traced client is injected by its token, replaced in a test, and created per request with its tenant's key. */
export async function checkClients(): Promise<void> {
  const configured = await building({
    imports: [ConfigModule],
    inject: [KEY],
    useFactory: (key: string) => new ModelClient(key),
  }).compile();
  assert.equal(await configured.get(Desk).ask('Weather?'), 'own');
  const [call, desk] = configured.get(TracerTestingModule).spans;
  assert.equal(call?.trace_function_key, 'openai.chat.completions.create');
  assert.equal(call.parent_id, desk?.id);
  assert.equal(call.span_data.usage?.['model'], 'm');
  await configured.close();

  const replaced = await building({ useFactory: () => assert.fail('no key in a test') })
    .overrideProvider(MODEL)
    .useValue(new ModelClient('stub'))
    .compile();
  assert.equal(await replaced.get(Desk).ask('Weather?'), 'stub');
  assert.equal(replaced.get(TracerTestingModule).spans.length, 1);
  await replaced.close();
  await checkTenants();
}

async function checkTenants(): Promise<void> {
  const module = await building({
    scope: Scope.REQUEST,
    inject: [REQUEST],
    useFactory: ({ url }: { url: string }) => new ModelClient(`key of ${url.split('/').at(-1)}`),
  }).compile();
  const app = module.createNestApplication();
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const answers = await Promise.all(
    ['a', 'b', 'c'].map(async (tenant) => (await fetch(`http://127.0.0.1:${port}/ask/${tenant}`)).text()),
  );
  assert.deepEqual(answers, ['key of a', 'key of b', 'key of c']);
  const calls = app.get(TracerTestingModule).spans.filter(({ type }) => type === 'llm');
  assert.equal(calls.length, 3);
  assert.equal(new Set(calls.map(({ trace_id }) => trace_id)).size, 3);
  await app.close();
}
