import { BullModule, Processor, WorkerHost } from '@nestjs/bullmq';
import { Controller, type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CommandHandler, CqrsModule, EventBus, EventsHandler, ofType, Saga } from '@nestjs/cqrs';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { EventPattern } from '@nestjs/microservices';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { WebSocketGateway } from '@nestjs/websockets';
import { createTestTracer } from '@dacapo/tracer/testing';
import { map, type Observable } from 'rxjs';
import { RecordedCallsService } from '../../../test/recorded-calls-service.js';
import { TracerModule } from '../../module/tracer.module.js';
import { Traced } from '../../tracing/traced.decorator.js';
import {
  createReplayContext,
  type ReplayContext,
  type ReplayContextOptions,
} from './create-replay-context.js';

const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
});

@Injectable()
class Reports {
  @Cron('* * * * * *')
  everySecond(): void {
    ran.push('cron');
  }
  @Interval(1)
  often(): void {
    ran.push('interval');
  }
  @Timeout(0)
  once(): void {
    ran.push('timeout');
  }
}

@Injectable()
class Mails {
  @OnEvent('order.placed')
  onOrder(): void {
    ran.push('listener');
  }
}

class Placed {
  readonly kind = 'placed';
}
class Pay {
  readonly kind = 'pay';
}

@EventsHandler(Placed)
class PlacedHandler {
  handle(): void {
    ran.push('event handler');
  }
}

@CommandHandler(Pay)
class PayHandler {
  async execute(): Promise<string> {
    return 'paid';
  }
}

@Injectable()
class Sagas {
  @Saga()
  pay = (events: Observable<object>): Observable<Pay> => {
    ran.push('saga');
    return events.pipe(
      ofType(Placed),
      map(() => new Pay()),
    );
  };
}

@Processor('tickets')
class TicketProcessor extends WorkerHost {
  async process(): Promise<void> {
    ran.push('worker');
  }
}

@Controller()
class Messages {
  @EventPattern('asked')
  onAsked(data: string): string {
    return data;
  }
}

@WebSocketGateway()
class Gateway {}

@Injectable()
class Cache implements OnModuleInit {
  text = '';
  onModuleInit(): void {
    this.text = 'warm';
  }
}

@Injectable()
class Consumer implements OnModuleInit {
  onModuleInit(): void {
    ran.push('own consumer');
  }
}

@Injectable()
class Answers {
  constructor(private readonly cache: Cache) {}

  @Traced('support.answer')
  answer(question: string): string {
    return `${this.cache.text} ${question}`;
  }
}

/** A worker that notes its start, because a real one needs Redis. */
class ToldWorker {
  constructor(name: string) {
    ran.push(`worker of ${name}`);
  }
  on(): void {
    // Does nothing.
  }
  async close(): Promise<void> {
    ran.push('worker closed');
  }
}
class Queue {
  close = async (): Promise<void> => Promise.resolve();
}

describe('createReplayContext', () => {
  let service: RecordedCallsService;
  const contexts: ReplayContext[] = [];

  beforeAll(async () => {
    const recorded = createTestTracer();
    recorded.tracer.withSpan('support.answer', (question: string) => `old ${question}`)('why');
    service = await RecordedCallsService.start(recorded.spans);
    BullModule.queueClass = Queue as never;
    BullModule.workerClass = ToldWorker as never;
  });
  afterAll(() => service.close());
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));

  function appModule(queueOptions: object = {}) {
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        EventEmitterModule.forRoot(),
        CqrsModule,
        BullModule.forRoot({ connection: { host: '127.0.0.1', port: 1 } }),
        BullModule.registerQueue({ name: 'tickets', ...queueOptions }),
        TracerModule.forRoot({ tracer: createTestTracer({ serviceUrl: service.url }).tracer }),
      ],
      providers: [
        Reports,
        Mails,
        PlacedHandler,
        PayHandler,
        Sagas,
        TicketProcessor,
        Gateway,
        Cache,
        Consumer,
        Answers,
      ],
      controllers: [Messages],
    })
    class AppModule {}
    return AppModule;
  }

  async function start(options: ReplayContextOptions = {}, module = appModule()): Promise<ReplayContext> {
    const context = await createReplayContext(module, { logger: false, ...options });
    contexts.push(context);
    return context;
  }

  it('starts no schedule, worker, listener, saga or consumer, and lists what it skipped', async () => {
    const { app, leftOut } = await start();
    expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(0);
    expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
    expect(app.get(SchedulerRegistry).getTimeouts()).toEqual([]);
    expect(app.get(EventEmitter2).emit('order.placed')).toBe(false);
    app.get(EventBus).publish(new Placed());
    expect(ran).toEqual(['own consumer']);
    expect(leftOut.map(({ work, name }) => `${work} ${name}`).sort()).toEqual([
      'events Mails.onOrder',
      'events PlacedHandler',
      'gateways Gateway',
      'messages Messages.onAsked',
      'queues TicketProcessor',
      'sagas Sagas',
      'schedules Reports.everySecond',
      'schedules Reports.often',
      'schedules Reports.once',
    ]);
  });

  it('replays through providers as in production, after their own hooks ran', async () => {
    const { replays, hooks } = await start();
    const { items } = await replays.replay(Answers, 'answer');
    expect(items).toMatchObject([{ result: 'warm why', originalOutput: 'old why' }]);
    expect(hooks).toEqual(expect.arrayContaining(['Cache.onModuleInit', 'Consumer.onModuleInit']));
  });

  it('still handles commands', async () => {
    const { app } = await start();
    expect(await app.get(CommandBus).execute(new Pay())).toBe('paid');
  });

  it('starts the work in start', async () => {
    const { app, leftOut } = await start({ start: ['schedules', 'queues', 'events', 'sagas'] });
    expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(1);
    expect(app.get(EventEmitter2).emit('order.placed')).toBe(true);
    app.get(EventBus).publish(new Placed());
    expect(ran).toEqual(expect.arrayContaining(['worker of tickets', 'listener', 'event handler', 'saga']));
    expect(leftOut.map(({ work }) => work).sort()).toEqual(['gateways', 'messages']);
  });

  it('runs no start hook of classes in holdBack', async () => {
    const { hooks } = await start({ holdBack: [Consumer] });
    expect(ran).toEqual([]);
    expect(hooks).not.toContain('Consumer.onModuleInit');
  });

  it('logs what it skipped', async () => {
    const lines: string[] = [];
    const log = (message: string) => lines.push(message);
    await start({ logger: { log, warn: log, error: log } });
    expect(lines.at(-1)).toMatch(/^Skipped: schedules \(Reports.everySecond, .*queues \(TicketProcessor\)/);
  });

  it('does not affect other applications of the process', async () => {
    await start();
    await start({ start: ['queues'] });
    expect(ran).toContain('worker of tickets');
  });

  it('refuses a queue that is created with its workers, stops them, and starts nothing', async () => {
    const module = appModule({ processors: [async () => undefined] });
    await expect(start({}, module)).rejects.toMatchObject({
      code: 'NESTJS_REPLAY_CONTEXT',
      message: expect.stringMatching(
        /Queue tickets has processors .*@Processor.*start: \['queues'\]/,
      ) as string,
    });
    expect(ran).toEqual(['worker of tickets', 'worker closed', 'worker closed']);
  });

  it('rejects a library whose consumers it cannot hold back, unless holdBack or start names them', async () => {
    @Injectable()
    class SqsService implements OnModuleInit {
      onModuleInit(): void {
        ran.push('consumer');
      }
    }
    @Module({ providers: [SqsService] })
    class SqsModule {}
    @Module({ imports: [appModule(), SqsModule] })
    class WithSqs {}
    await expect(start({}, WithSqs)).rejects.toThrow(/SqsModule starts consumers .*holdBack/);
    expect(ran).toEqual([]);
    await start({ holdBack: [SqsService] }, WithSqs);
    expect(ran).toEqual(['own consumer']);
    await start({ start: ['consumers'] }, WithSqs);
    expect(ran).toContain('consumer');
  });

  it('reports recorded calls of skipped listeners in a note, not as missing', async () => {
    @Injectable()
    class Listeners {
      @OnEvent('asked')
      @Traced('listeners.note')
      note(): void {
        ran.push('noted');
      }

      @Traced('listeners.count')
      count(): number {
        return 1;
      }
    }
    @Injectable()
    class Asked {
      isCounting = true;

      constructor(
        private readonly events: EventEmitter2,
        private readonly listeners: Listeners,
      ) {}

      @Traced('asked.answer')
      answer(): string {
        this.events.emit('asked');
        if (this.isCounting) this.listeners.count();
        return 'answered';
      }
    }
    const createModule = (imported: DynamicModule) => {
      @Module({ imports: [EventEmitterModule.forRoot(), imported], providers: [Asked, Listeners] })
      class AskedModule {}
      return AskedModule;
    };
    const { tracer, spans } = createTestTracer();
    const production = await NestFactory.createApplicationContext(
      createModule(TracerModule.forRoot({ tracer })),
    );
    production.useLogger(false);
    production.get(Asked).answer();
    await production.close();
    expect(ran).toEqual(['noted']);
    const calls = await RecordedCallsService.start(spans);
    const replaying = createTestTracer({ serviceUrl: calls.url });
    const { app, replays } = await start(
      {},
      createModule(TracerModule.forRoot({ tracer: replaying.tracer })),
    );
    const replayed = await replays.replay(Asked, 'answer');
    expect(replayed.items).toMatchObject([
      {
        divergences: [],
        notes: ['Recorded calls that the replay context did not start: listeners.note (1).'],
      },
    ]);
    app.get(Asked).isCounting = false;
    const shorter = await replays.replay(Asked, 'answer');
    expect(shorter.items).toMatchObject([{ divergences: [{ kind: 'missing', path: ['listeners.count'] }] }]);
    await calls.close();
  });

  it('refuses schedules with an unknown starter, unless holdBack or start names them', async () => {
    @Module({
      imports: [TracerModule.forRoot({ tracer: createTestTracer({ serviceUrl: service.url }).tracer })],
      providers: [Reports, Consumer],
    })
    class WithoutExplorer {}
    await expect(start({}, WithoutExplorer)).rejects.toThrow(
      "Reports.everySecond declares schedules, but their starter in this application was not recognized. Name the provider that starts them in holdBack. If nothing starts them or they may run, write start: ['schedules'].",
    );
    expect(ran).toEqual([]);
    await start({ start: ['schedules'] }, WithoutExplorer);
    expect(ran).toEqual(['own consumer']);
  });

  it.each(['RABBIT_HANDLER', Symbol('RABBIT_HANDLER'), Symbol.for('SQS_CONSUMER_METHOD')])(
    'refuses consumers with the mark %p, and starts nothing',
    async (mark) => {
      @Injectable()
      class Orders {
        consume(): void {
          ran.push('consumed');
        }
      }
      Reflect.defineMetadata(mark, {}, Orders.prototype.consume);
      @Module({ imports: [appModule()], providers: [Orders] })
      class WithConsumer {}
      await expect(start({}, WithConsumer)).rejects.toThrow(/^Orders.consume declares consumers/);
      expect(ran).toEqual([]);
      const { leftOut } = await start({ holdBack: [Consumer] }, WithConsumer);
      expect(leftOut).toContainEqual({ work: 'consumers', name: 'Orders.consume' });
    },
  );

  it('is not confused by a class with the name of a library class', async () => {
    @Injectable()
    class ScheduleExplorer {
      explore(): string {
        return 'explored';
      }
    }
    @Module({ imports: [appModule()], providers: [ScheduleExplorer] })
    class WithExplorer {}
    const { app } = await start({}, WithExplorer);
    expect(app.get(ScheduleExplorer).explore()).toBe('explored');
  });

  it('refuses an application without a TracerModule, and an unknown name in start', async () => {
    @Module({})
    class Bare {}
    await expect(start({}, Bare)).rejects.toThrow(/has no TracerModule\. Import TracerModule\.forRoot\(\)/);
    await expect(start({ start: ['cron' as never] })).rejects.toThrow(
      /names "cron", which is unknown\. Use some of/,
    );
  });
});
