import { type CanActivate, ForbiddenException, Injectable, UseGuards } from '@nestjs/common';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  Args,
  Context,
  GraphQLModule,
  Mutation,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { PubSub } from 'mercurius';
import request from 'supertest';
import { WebSocket } from 'ws';
import { Traced, TracerModule } from '../../src/index.js';
import { TracerTestingModule } from '../../src/testing.js';

const typeDefs = `
  type Ticket { id: ID! answer: String! }
  type Query { ticket(id: ID!): Ticket! refused: String }
  type Mutation { publish(id: ID!): Boolean! }
  type Subscription { answered: Ticket! }
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

  @Mutation('publish')
  async publish(@Args('id') id: string, @Context('pubsub') pubsub: PubSub): Promise<boolean> {
    await this.answers.answer(`publishing ${id}`);
    pubsub.publish({ topic: 'answered', payload: { answered: { id } } });
    return true;
  }

  @Subscription('answered')
  async answered(@Context('pubsub') pubsub: PubSub): Promise<unknown> {
    await this.answers.answer('subscribing');
    return pubsub.subscribe('answered');
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
        GraphQLModule.forRoot<MercuriusDriverConfig>({
          driver: MercuriusDriver,
          typeDefs,
          subscription: true,
        }),
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

  async function query(text: string, headers: Record<string, string> = {}): Promise<void> {
    await request(app.getHttpServer()).post('/graphql').set(headers).send({ query: text }).expect(200);
    while (!tracing.spans.some((span) => span.parent_id === undefined)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('records a request with several resolvers as one trace', async () => {
    await query('{ a: ticket(id: "1") { answer } b: ticket(id: "2") { answer } }');
    const root = tracing.spans.at(-1);
    expect(root).toMatchObject({ trace_function_key: 'POST /graphql' });
    expect(tracing.spans.map((span) => span.parent_id)).toEqual([root?.id, root?.id, undefined]);
    expect(tracing.traces.at(-1)).toMatchObject({ metadata: { handler: 'ticket' } });
  });

  it('links the trace of all resolvers to that of the caller', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    await query('{ a: ticket(id: "1") { answer } b: ticket(id: "2") { answer } }', { traceparent });
    const links = [{ trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', span_id: 'b7ad6b7169203331' }];
    expect(tracing.spans.map((span) => span.span_data.meta?.links)).toEqual([undefined, undefined, links]);
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(1);
  });

  it('records what a guard traced before it rejected', async () => {
    await query('{ refused }');
    expect(tracing.spans.map((span) => span.trace_function_key)).toEqual(['answer', 'POST /graphql']);
  });

  it('records the calls of each subscription event as a trace of its own', async () => {
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const messages: { type: string }[] = [];
    socket.on('message', (data) =>
      messages.push(JSON.parse((data as Buffer).toString()) as { type: string }),
    );
    const received = async (type: string, count: number): Promise<void> => {
      while (messages.filter((message) => message.type === type).length < count)
        await once(socket, 'message');
    };
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await received('connection_ack', 1);
    socket.send(
      JSON.stringify({
        id: '1',
        type: 'subscribe',
        payload: { query: 'subscription { answered { answer } }' },
      }),
    );
    while (tracing.spans.length < 1) await new Promise((resolve) => setImmediate(resolve));
    await query('mutation { publish(id: "1") }');
    await received('next', 1);
    await query('mutation { publish(id: "2") }');
    await received('next', 2);
    socket.terminate();
    const events = tracing.spans.filter(({ span_data: { input } }) =>
      ['1', '2'].includes(input?.[0] as string),
    );
    expect(events.map((span) => span.parent_id)).toEqual([undefined, undefined]);
    const traces = tracing.spans.map((span) => span.trace_id);
    for (const { trace_id } of events) expect(traces.filter((id) => id === trace_id)).toHaveLength(1);
  });
});
