import { Controller, Get, Inject, Injectable, Module, Param, Scope } from '@nestjs/common';
import { type ContextIdStrategy, ContextIdFactory, type HostComponentInfo, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import OpenAI from 'openai';
import request from 'supertest';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { TracedClientModule } from './traced-client.module.js';

const OPENAI = Symbol('openai');

/** One subtree of providers per tenant, the last part of the path. */
class ByTenant implements ContextIdStrategy {
  private readonly subtrees = new Map<string, ReturnType<typeof ContextIdFactory.create>>();

  attach(contextId: ReturnType<typeof ContextIdFactory.create>, { url }: { url: string }) {
    const tenant = url.split('/').at(-1)!;
    const subtree = this.subtrees.get(tenant) ?? ContextIdFactory.create();
    this.subtrees.set(tenant, subtree);
    return {
      resolve: ({ isTreeDurable }: HostComponentInfo) => (isTreeDurable ? subtree : contextId),
      payload: { tenant },
    };
  }
}

/** The keys of created clients, and the keys of sent requests. */
const [made, sent]: [string[], string[]] = [[], []];

function newClient({ tenant }: { tenant: string }): OpenAI {
  made.push(tenant);
  return new OpenAI({
    apiKey: tenant,
    fetch: (_, init) => {
      sent.push(new Headers(init?.headers).get('authorization')!);
      return Promise.resolve(Response.json({ choices: [{ message: { content: 'mild' } }] }));
    },
  });
}

@Injectable()
class Desk {
  constructor(@Inject(OPENAI) private readonly openai: OpenAI) {}

  async ask(content: string): Promise<string | null> {
    const messages = [{ role: 'user' as const, content }];
    const answer = await this.openai.chat.completions.create({ model: 'm', messages });
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

@Module({
  imports: [
    TracerTestingModule.forRoot(),
    TracedClientModule.forRootAsync({
      provide: OPENAI,
      scope: Scope.REQUEST,
      durable: true,
      inject: [REQUEST],
      useFactory: newClient,
    }),
  ],
  providers: [Desk],
  controllers: [DeskController],
})
class AppModule {}

describe('a durable TracedClientModule', () => {
  it('creates one recorded client per tenant, shared by its requests', async () => {
    ContextIdFactory.apply(new ByTenant());
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = module.createNestApplication();
    await app.init();
    for (const tenant of ['a', 'b', 'a', 'b', 'a'])
      await request(app.getHttpServer()).get(`/ask/${tenant}`).expect(200, 'mild');
    expect(made).toEqual(['a', 'b']);
    expect(sent).toEqual(['Bearer a', 'Bearer b', 'Bearer a', 'Bearer b', 'Bearer a']);
    const calls = app.get(TracerTestingModule).spans.filter(({ type }) => type === 'llm');
    expect(calls.map(({ span_data }) => span_data.prompt)).toEqual(
      ['a', 'b', 'a', 'b', 'a'].map((tenant) => `user:\n${tenant}`),
    );
    await app.close();
  });
});
