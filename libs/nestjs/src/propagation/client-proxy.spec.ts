import {
  Body,
  Controller,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  Param,
  ValidationPipe,
} from '@nestjs/common';
import {
  ClientsModule,
  type ClientProxy,
  EventPattern,
  MessagePattern,
  NatsRecord,
  Payload,
  type TcpOptions,
  Transport,
} from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { IsString } from 'class-validator';
import type { AddressInfo } from 'node:net';
import { from, map, type Observable, switchMap } from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '@dacapo/tracer/testing';
import { freePort } from '../../test/transports/free-port.js';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { carryInData } from './carried-in-data.js';

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string, place: string): Promise<string> {
    return `${place} ${user}`;
  }
}

class Question {
  @IsString()
  user!: string;
}

@Controller()
class AnswersController {
  static readonly received: unknown[] = [];
  constructor(private readonly model: Model) {}

  @MessagePattern('answer')
  answer(@Payload(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })) question: Question) {
    return this.model.ask(question.user, 'remote');
  }

  @MessagePattern('plain')
  plain(@Payload() text: string): string {
    return text;
  }

  @EventPattern('noted')
  async noted(@Body() question: Question): Promise<void> {
    AnswersController.received.push(question);
    await this.model.ask(question.user, 'noted');
  }
}

@Controller()
class UsersController {
  constructor(
    @Inject('ANSWERS') private readonly client: ClientProxy,
    private readonly model: Model,
  ) {}

  @Get('users/:user')
  user(@Param('user') user: string): Observable<string> {
    return from(this.model.ask(user, 'first')).pipe(
      switchMap(() => this.client.send<string>('answer', { user })),
      switchMap(() => this.client.send<string>('plain', user)),
      switchMap((text) => this.model.ask(text, 'local')),
      map((text) => text.toUpperCase()),
    );
  }

  /** The client connects with its first message, in the context of the request that sends it. */
  @Get('lazy/:user')
  lazy(@Param('user') user: string): Observable<string> {
    return this.client.send<string>('plain', user).pipe(switchMap((text) => this.model.ask(text, 'local')));
  }

  @Get('note/:user')
  async note(@Param('user') user: string): Promise<void> {
    await this.model.ask(user, 'local');
    this.client.emit('noted', { user });
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a ClientProxy on %s', (_platform, createAdapter) => {
  let app: INestApplication;
  let tracing: TracerTestingModule;
  let url: string;

  async function boot(clients?: boolean): Promise<void> {
    const options = {
      transport: Transport.TCP,
      options: { host: '127.0.0.1', port: await freePort() },
    } as const satisfies TcpOptions;
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          interceptor: true,
          incoming: { rpc: 'continue' },
          ...(clients !== undefined && { propagate: { clients } }),
        }),
        TracerTestingModule.forRoot(),
        ClientsModule.register([{ name: 'ANSWERS', ...options }]),
      ],
      controllers: [UsersController, AnswersController],
      providers: [Model],
    }).compile();
    app = module.createNestApplication(createAdapter() as ExpressAdapter, { logger: false } as object);
    app.connectMicroservice<TcpOptions>(options, { inheritAppConfig: true });
    await app.startAllMicroservices();
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    tracing = app.get(TracerTestingModule);
  }
  afterEach(() => app.close());

  const callsFor = (user: string): SpanRecord[] =>
    tracing.spans.filter((span) => span.trace_function_key === 'ask' && span.span_data.input?.[0] === user);

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }

  it.each([true, false])('keeps each of 30 requests in its own context with clients: %s', async (clients) => {
    await boot(clients);
    const users = Array.from({ length: 30 }, (_, index) => `u${index}`);
    const answers = users.map(async (user) => (await fetch(`${url}/users/${user}`)).text());
    expect(await Promise.all(answers)).toEqual(users.map((user) => `LOCAL ${user.toUpperCase()}`));
    await until(() => tracing.spans.filter(({ trace_function_key: key }) => key !== 'ask').length === 60);
    for (const user of users) {
      expect(
        callsFor(user)
          .map((span) => span.span_data.output)
          .sort(),
      ).toEqual([`first ${user}`, `local ${user}`, `remote ${user}`]);
      expect(new Set(callsFor(user).map((span) => span.trace_id)).size).toBe(clients ? 1 : 2);
    }
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(clients ? 30 : 60);
  });

  it('keeps requests apart when it connects with the first message', async () => {
    await boot();
    const users = Array.from({ length: 100 }, (_, index) => `u${index}`);
    await Promise.all(users.map(async (user) => (await fetch(`${url}/lazy/${user}`)).text()));
    await until(() => tracing.spans.filter((span) => span.trace_function_key === 'ask').length === 100);
    const traces = users.map((user) => callsFor(user).map((span) => span.trace_id));
    expect(traces.map((ids) => ids.length)).toEqual(users.map(() => 1));
    expect(new Set(traces.flat()).size).toBe(100);
  });

  it('sends the trace with events, and the handler sees only the data', async () => {
    await boot(true);
    AnswersController.received.length = 0;
    await fetch(`${url}/note/ann`);
    await until(() => callsFor('ann').length === 2);
    expect(new Set(callsFor('ann').map((span) => span.trace_id)).size).toBe(1);
    expect(AnswersController.received).toEqual([{ user: 'ann' }]);
  });
});

describe('data that carries a trace', () => {
  const { tracer } = createTestTracer();
  const carry = tracer.withSpan('carry', carryInData);

  it('is a copy with the same class, also inside the record of a transport', () => {
    const question = Object.assign(new Question(), { user: 'ann' });
    const carried = carry(question) as Question;
    expect(carried).toBeInstanceOf(Question);
    expect(Object.keys(carried)).toEqual(['user', '@dacapo/traceparent']);
    expect(Object.keys(question)).toEqual(['user']);
    const record = carry(new NatsRecord({ user: 'ann' }, 'headers')) as NatsRecord<object, string>;
    expect([record instanceof NatsRecord, record.headers, Object.keys(record.data)]).toEqual([
      true,
      'headers',
      ['user', '@dacapo/traceparent'],
    ]);
  });

  it.each([['text'], [[1]], [Buffer.from('a')], [new Date(0)], [null], [new NatsRecord('text')]])(
    'is unchanged if it cannot carry a trace: %p',
    (data) => {
      expect(carry(data)).toBe(data);
    },
  );

  it('is unchanged outside a span', () => {
    const data = { user: 'ann' };
    expect(carryInData(data)).toBe(data);
  });
});
