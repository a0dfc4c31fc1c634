import {
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Injectable,
  type MessageEvent,
  Param,
  SetMetadata,
  Sse,
} from '@nestjs/common';
import {
  CommandBus,
  CommandHandler,
  CqrsModule,
  EventBus,
  EventsHandler,
  type ICommandHandler,
  type IEventHandler,
} from '@nestjs/cqrs';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { concatMap, filter, firstValueFrom, map, type Observable, Subject, take } from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { NoTrace } from '../tracing/no-trace.decorator.js';
import { Traced } from '../tracing/traced.decorator.js';

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string): Promise<string> {
    return user;
  }
}

/** Stores its options on the method, as some libraries do. */
const Cached =
  (cachedFor: number) =>
  (_prototype: object, _name: string, { value }: PropertyDescriptor): void => {
    Object.assign(value as object, { cachedFor });
  };

class Greet {
  constructor(readonly user: string) {}
}
class Greeted {
  constructor(readonly user: string) {}
}

@CommandHandler(Greet)
class GreetHandler implements ICommandHandler<Greet> {
  constructor(
    private readonly model: Model,
    private readonly events: EventBus,
  ) {}
  async execute({ user }: Greet): Promise<void> {
    await this.model.ask(user);
    this.events.publish(new Greeted(user));
  }
}

@EventsHandler(Greeted)
class GreetedHandler implements IEventHandler<Greeted> {
  constructor(private readonly model: Model) {}
  async handle({ user }: Greeted): Promise<void> {
    await this.model.ask(user);
  }
}

@Injectable()
class Jobs {
  constructor(private readonly model: Model) {}

  @Cron('0 0 1 1 *', { name: 'nightly' })
  async nightly(): Promise<void> {
    await this.model.ask('nobody');
    await this.model.ask('nobody');
  }

  @Cron('0 0 1 1 *', { name: 'recorded' })
  @Traced('jobs.recorded')
  async recorded(): Promise<void> {
    await this.model.ask('nobody');
  }

  @Cron('0 0 1 1 *', { name: 'silent' })
  @NoTrace()
  async silent(): Promise<void> {
    await this.model.ask('nobody');
  }

  @OnEvent('opened')
  async opened({ user }: { user: string }): Promise<void> {
    await this.model.ask(user);
    await this.model.ask(user);
  }
}

@Controller()
class FeedController {
  readonly feed = new Subject<string>();
  constructor(
    private readonly model: Model,
    private readonly commands: CommandBus,
    private readonly emitter: EventEmitter2,
  ) {}

  @Sse('events/:user')
  events(@Param('user') user: string): Observable<MessageEvent> {
    return this.feed.pipe(
      filter((to) => to === user || to === 'all'),
      concatMap(() => this.model.ask(user)),
      map((data) => ({ data })),
      take(2),
    );
  }

  @Get('first/:user')
  @Cached(60)
  async first(@Param('user') user: string): Promise<Observable<string>> {
    return this.feed.pipe(
      take(1),
      concatMap(() => this.model.ask(user)),
    );
  }

  @Get('send/:user/:to')
  async send(@Param('user') user: string, @Param('to') to: string): Promise<void> {
    await this.model.ask(user);
    this.feed.next(to);
  }

  @Get('greet/:user')
  async greet(@Param('user') user: string): Promise<void> {
    await this.commands.execute(new Greet(user));
    await this.emitter.emitAsync('opened', { user });
  }
}

const sessionOfContext = (context: ExecutionContext): string => {
  const [first] = context.getArgs<[{ user?: string; params?: { user: string } }?]>();
  const handler = `${context.getClass().name}.${context.getHandler().name}`;
  return `${context.getType()} ${handler} ${first?.user ?? first?.params?.user ?? ''}`.trim();
};

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('handlers on %s', (_platform, createAdapter) => {
  let app: INestApplication;
  let tracing: TracerTestingModule;
  let url: string;

  beforeEach(async () => {
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({ enrich: (context) => ({ sessionId: sessionOfContext(context) }) }),
        TracerTestingModule.forRoot(),
        CqrsModule.forRoot(),
        EventEmitterModule.forRoot(),
        ScheduleModule.forRoot(),
      ],
      controllers: [FeedController],
      providers: [Model, Jobs, GreetHandler, GreetedHandler],
    }).compile();
    app = module.createNestApplication(
      createAdapter() as ExpressAdapter,
      { logger: false, forceCloseConnections: true } as object,
    );
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    tracing = app.get(TracerTestingModule);
  });
  afterEach(() => app.close());

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }
  const calls = (user: string): SpanRecord[] =>
    tracing.spans.filter((span) => span.trace_function_key === 'ask' && span.span_data.input?.[0] === user);
  const findSpan = (key: string): SpanRecord | undefined =>
    tracing.spans.find((span) => span.trace_function_key === key);
  const findSessions = (traceId: string | undefined): unknown[] =>
    tracing.traces.filter(({ id }) => id === traceId).map((trace) => trace.session_id);

  it('run a stream in the context of its request, whoever emits', async () => {
    const { feed } = app.get(FeedController);
    const reading = ['ann', 'bob'].map(async (user) => (await fetch(`${url}/events/${user}`)).text());
    await until(() => feed.observed && (feed as unknown as { observers: unknown[] }).observers.length === 2);
    await fetch(`${url}/send/eve/all`);
    await fetch(`${url}/send/eve/all`);
    await Promise.all(reading);
    await until(
      () => tracing.spans.filter((span) => span.trace_function_key.startsWith('GET /')).length === 4,
    );
    for (const user of ['ann', 'bob']) {
      const [first, second] = calls(user);
      expect(first?.trace_id).toBe(second?.trace_id);
      expect(calls(user)).toHaveLength(2);
      expect(findSessions(first?.trace_id)).toContain(`http FeedController.events ${user}`);
    }
    expect(new Set(tracing.spans.map((span) => span.trace_id)).size).toBe(4);
  });

  it('run a promised Observable in the context of its request', async () => {
    const { feed } = app.get(FeedController);
    const answered = fetch(`${url}/first/ann`).then((response) => response.text());
    await until(() => feed.observed);
    await fetch(`${url}/send/eve/all`);
    expect(await answered).toBe('ann');
    await until(() => findSpan('GET /first/:user') !== undefined);
    expect(calls('ann')[0]?.parent_id).toBe(findSpan('GET /first/:user')?.id);
  });

  it('of commands and events are part of the request that causes them', async () => {
    await fetch(`${url}/greet/ann`);
    await until(() => calls('ann').length === 4 && findSpan('GET /greet/:user') !== undefined);
    const root = findSpan('GET /greet/:user');
    expect(new Set(calls('ann').map((span) => span.parent_id))).toEqual(new Set([root?.id]));
    expect(findSessions(root?.trace_id)).toContain('http FeedController.greet ann');
  });

  it('without a traced caller open a trace of their own, with the result of enrich', async () => {
    await app.get(CommandBus).execute(new Greet('ann'));
    await app.get(EventEmitter2).emitAsync('opened', { user: 'bob' });
    await until(() => calls('ann').length === 2);
    const command = findSpan('GreetHandler.execute');
    expect(command?.span_data.input).toEqual([{ transport: 'cqrs' }]);
    expect(calls('ann').map((span) => span.parent_id)).toEqual([command?.id, command?.id]);
    expect(findSessions(command?.trace_id)).toContain('cqrs GreetHandler.execute ann');
    const opened = findSpan('Jobs.opened');
    expect(calls('bob').map((span) => span.parent_id)).toEqual([opened?.id, opened?.id]);
    expect(findSessions(opened?.trace_id)).toContain('event Jobs.opened bob');
  });

  it('of a schedule are one trace, without a second span if they are recorded themselves', async () => {
    const schedule = app.get(SchedulerRegistry);
    for (const name of ['nightly', 'recorded', 'silent']) await schedule.getCronJob(name).fireOnTick();
    await until(() => calls('nobody').length === 3 && findSpan('Jobs.nightly') !== undefined);
    const [nightly, recorded] = [findSpan('Jobs.nightly'), findSpan('jobs.recorded')];
    expect(
      calls('nobody')
        .map((span) => span.parent_id)
        .sort(),
    ).toEqual([nightly?.id, nightly?.id, recorded?.id].sort());
    expect(recorded?.parent_id).toBeUndefined();
    expect(findSessions(nightly?.trace_id)).toEqual(['schedule Jobs.nightly']);
    expect(findSessions(recorded?.trace_id)).toEqual(['schedule Jobs.recorded']);
    expect(findSpan('Jobs.recorded')).toBeUndefined();
  });

  it('keep their arguments and results', async () => {
    expect(
      await firstValueFrom(app.get(FeedController).events('ann').pipe(take(0)), { defaultValue: 1 }),
    ).toBe(1);
    expect(Reflect.getMetadata('EVENT_LISTENER_METADATA', app.get(Jobs).opened)).toBeDefined();
    expect([app.get(Jobs).opened.name, app.get(Jobs).opened.length]).toEqual(['opened', 1]);
    const { send } = app.get(FeedController);
    expect([send.name, send.length, Reflect.getMetadata('path', send)]).toEqual([
      'send',
      2,
      'send/:user/:to',
    ]);
    expect((app.get(FeedController).first as { cachedFor?: number }).cachedFor).toBe(60);
  });
});

describe('a worker event', () => {
  @Injectable()
  class MailEvents {
    constructor(private readonly model: Model) {}

    @SetMetadata('bullmq:worker_events_metadata', { eventName: 'completed' })
    async completed({ data }: { data: { user: string } }): Promise<void> {
      await this.model.ask(data.user);
      await this.model.ask(data.user);
    }

    @SetMetadata('bullmq:worker_events_metadata', { eventName: 'error' })
    async failed({ message }: Error): Promise<void> {
      await this.model.ask(message);
    }
  }
  const errors: unknown[] = [];

  async function boot(): Promise<INestApplication> {
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot({
          onError: (error) => errors.push(error),
          enrich: (context) => ({
            sessionId: context.getArgByIndex<{ data: { user: string } }>(0).data.user,
          }),
        }),
        TracerTestingModule.forRoot(),
      ],
      providers: [Model, MailEvents],
    }).compile();
    return module.createNestApplication({ logger: false } as object).init();
  }

  it('is a trace with the session of its job', async () => {
    const app = await boot();
    await app.get(MailEvents).completed({ data: { user: 'ann' } });
    const { spans, traces } = app.get(TracerTestingModule);
    expect(spans.filter((span) => span.trace_function_key === 'ask')).toHaveLength(2);
    expect(new Set(spans.map((span) => span.trace_id)).size).toBe(1);
    expect(traces).toMatchObject([{ session_id: 'ann' }]);
    await app.close();
  });

  it('has no session, and enrich is not called, if it has no job', async () => {
    const app = await boot();
    await app.get(MailEvents).failed(new Error('connection refused'));
    const { spans, traces } = app.get(TracerTestingModule);
    expect(spans.filter((span) => span.trace_function_key === 'ask')).toHaveLength(1);
    expect(traces.some(({ session_id: session }) => session !== undefined)).toBe(false);
    expect(errors).toEqual([]);
    await app.close();
  });
});
