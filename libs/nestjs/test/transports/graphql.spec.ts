import { type CanActivate, ForbiddenException, Injectable, UseGuards } from '@nestjs/common';
import { Args, GraphQLModule, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { Traced, TracerModule } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';

const typeDefs = `
  type Ticket { id: ID! answer: String! }
  type Query { ticket(id: ID!): Ticket! refused: String }
`;

@Injectable()
class Answers {
  @Traced('answer')
  async answer(id: string): Promise<string> {
    return `answer ${id}`;
  }
}

@Injectable()
class TracedGuard implements CanActivate {
  constructor(private readonly answers: Answers) {}
  async canActivate(): Promise<boolean> {
    await this.answers.answer('guard');
    throw new ForbiddenException('not yours');
  }
}

@Resolver('Ticket')
class TicketResolver {
  constructor(private readonly answers: Answers) {}

  @Query('ticket')
  ticket(@Args('id') id: string): { id: string } {
    return { id };
  }

  @ResolveField('answer')
  answer({ id }: { id: string }): Promise<string> {
    return this.answers.answer(id);
  }

  @Query('refused')
  @UseGuards(TracedGuard)
  refused(): string {
    return 'never';
  }
}

describe('GraphQL', () => {
  let app: NestFastifyApplication;
  let tracing: TracerTestingModule;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({ enrich: (context) => ({ metadata: { handler: context.getHandler().name } }) }),
        TracerTestingModule.forRoot(),
        GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, typeDefs }),
      ],
      providers: [Answers, TicketResolver],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), {
      logger: false,
    } as object);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    tracing = app.get(TracerTestingModule);
  });
  afterEach(() => app.close());

  async function query(text: string): Promise<void> {
    await request(app.getHttpServer()).post('/graphql').send({ query: text }).expect(200);
    while (!tracing.spans.some((span) => span.parent_id === undefined)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('makes one trace of a request, whatever number of resolvers it takes', async () => {
    await query('{ a: ticket(id: "1") { answer } b: ticket(id: "2") { answer } }');
    const root = tracing.spans.at(-1);
    expect(root).toMatchObject({ trace_function_key: 'POST /graphql' });
    expect(tracing.spans.map((span) => span.parent_id)).toEqual([root?.id, root?.id, undefined]);
    expect(tracing.traces.at(-1)).toMatchObject({ metadata: { handler: 'ticket' } });
  });

  it('shows what a guard had traced when it refused', async () => {
    await query('{ refused }');
    expect(tracing.spans.map((span) => span.trace_function_key)).toEqual(['answer', 'POST /graphql']);
  });
});
