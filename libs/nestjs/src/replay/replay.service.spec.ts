import { Inject, Injectable, type Provider, Scope } from '@nestjs/common';
import { Type as TransformTo } from 'class-transformer';
import { IsEmail, IsString, ValidateNested } from 'class-validator';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { createTestTracer } from '@dacapo/tracer/testing';
import { Traced } from '../tracing/traced.decorator.js';
import { ReplayService } from './replay.service.js';

@Injectable()
class Model {
  ask(question: string): string {
    return `old ${question}`;
  }
}

abstract class Answering {
  abstract answer(question: string): Promise<string>;
}

@Injectable()
class Answers {
  constructor(private readonly model: Model) {}

  @Traced('support.answer')
  async answer(question: string): Promise<string> {
    if (question === 'bad') throw new Error('no answer');
    return this.model.ask(question);
  }

  plain(question: string): string {
    return question;
  }
}

class Customer {
  @IsEmail()
  mail!: string;
}

class TicketDto {
  @IsString()
  text!: string;

  @ValidateNested()
  @TransformTo(() => Customer)
  customer!: Customer;

  title(): string {
    return `${this.text} by ${this.customer instanceof Customer ? this.customer.mail : 'no one'}`;
  }
}

@Injectable()
class Tickets {
  @Traced('ticket.title')
  title(ticket: TicketDto, suffix?: string): string {
    return ticket.title() + (suffix ?? '');
  }

  @Traced('ticket.count')
  count(tickets: number): string {
    return typeof tickets;
  }
}

@Injectable({ scope: Scope.REQUEST })
class ScopedAnswers {
  static made = 0;
  constructor(@Inject(REQUEST) readonly request: unknown) {
    ScopedAnswers.made++;
  }

  @Traced('scoped.answer')
  answer(question: string): string {
    return `${question} of ${(this.request as { user?: string }).user ?? 'nobody'}`;
  }
}

describe('ReplayService', () => {
  let app: TestingModule;
  let service: RecordedCallsService;
  const recorded = createTestTracer();

  async function boot(adjust = (builder: TestingModuleBuilder) => builder): Promise<ReplayService> {
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const builder = Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [
        Model,
        Answers,
        ScopedAnswers,
        Tickets,
        { provide: 'MADE', useFactory: () => new Tickets() },
        { provide: Answering, useClass: Answers },
      ],
    });
    app = await adjust(builder).compile();
    return app.get(ReplayService);
  }

  beforeAll(async () => {
    const group = recorded.tracer.getFunction('support.answer');
    const record = group.withSpan((question: string) => `old ${question}`);
    for (const question of ['a', 'b', 'bad']) record(question);
    recorded.tracer.withSpan('scoped.answer', (question: string) => question)('q');
    const recordTitle = recorded.tracer.withSpan('ticket.title', (ticket: unknown) => ticket);
    const customer = Object.assign(new Customer(), { mail: 'ann@example.com' });
    recordTitle(Object.assign(new TicketDto(), { text: 'late', customer }));
    recordTitle({ text: 7, title: 'a plain one' });
    recorded.tracer.withSpan('ticket.count', (tickets: unknown) => tickets)('three');
    service = await RecordedCallsService.start(recorded.spans);
  });
  afterAll(() => service.close());
  afterEach(() => app.close());

  it('calls the method of the provider with the recorded arguments', async () => {
    const replays = await boot();
    const { items, testRunUrl } = await replays.replay(Answers, 'answer');
    expect(items.map(({ input, result }) => [input, result])).toEqual([
      [['a'], 'old a'],
      [['b'], 'old b'],
      [['bad'], undefined],
    ]);
    expect(items[2]?.error).toEqual(new Error('no answer'));
    expect(testRunUrl).toContain('/test-runs/run-1');
  });

  it('records one span per call', async () => {
    const { tracer, spans } = createTestTracer({ serviceUrl: service.url });
    app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Model, Answers],
    }).compile();
    await app.get(ReplayService).replay(Answers, 'answer');
    expect(spans).toHaveLength(3);
    expect(spans.every((span) => span.parent_id === undefined && span.test_run_id === 'run-1')).toBe(true);
  });

  it('uses dependencies from overrideProvider', async () => {
    const replays = await boot((builder) =>
      builder.overrideProvider(Model).useValue({ ask: (question: string) => `new ${question}` }),
    );
    const { items } = await replays.replay(Answers, 'answer', { limit: 1 });
    expect(items).toMatchObject([{ result: 'new a', originalOutput: 'old a' }]);
    expect(service.selection).toEqual({ limit: 1 });
  });

  it('creates a request-scoped provider for each call', async () => {
    const replays = await boot();
    const before = ScopedAnswers.made;
    const { items } = await replays.replay(ScopedAnswers, 'answer');
    expect(items).toMatchObject([{ result: 'q of nobody' }]);
    expect(ScopedAnswers.made).toBe(before + 1);
  });

  it('replays an undecorated method with the option key', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Answers, 'plain', { key: 'support.answer', limit: 1 });
    expect(items).toMatchObject([{ result: 'a' }]);
  });

  it('rejects an undecorated method without a key, with the cure', async () => {
    const replays = await boot();
    await expect(replays.replay(Answers, 'plain')).rejects.toThrow(
      /Decorate it with @Traced, or pass the key/,
    );
  });

  it('finds the method with a key', async () => {
    const replays = await boot();
    const { items } = await replays.replay('support.answer', { limit: 1 });
    expect(items).toMatchObject([{ result: 'old a' }]);
  });

  it('rejects a key without a traced method, with the cure', async () => {
    const replays = await boot();
    await expect(replays.replay('no.such')).rejects.toThrow(/Check the key, and that the module/);
    const unseen = undefined as unknown as string;
    await expect(replays.replay(unseen)).rejects.toMatchObject({ code: 'NESTJS_INVALID_OPTION' });
    const noMethod = Answers as unknown as string;
    await expect(replays.replay(noMethod)).rejects.toThrow(/Name the method: replay\(Service, 'method'\)/);
  });

  it('finds a provider by its token', async () => {
    const replays = await boot();
    const { items } = await replays.replay('MADE', 'title', { limit: 1 });
    expect(items).toMatchObject([{ result: 'late by ann@example.com' }]);
  });

  it('finds the provider of an abstract class', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Answering, 'answer', { limit: 1 });
    expect(items).toMatchObject([{ result: 'old a' }]);
  });

  it('lists methods by name: each class once, classes with the same name separately', async () => {
    const replays = await boot((builder) => {
      class Other {
        @Traced('other.answer')
        answer(): void {
          return undefined;
        }
      }
      Object.defineProperty(Other, 'name', { value: 'Answers' });
      return builder.overrideProvider('MADE').useValue(new Other());
    });
    const named = (name: string) => replays.methods().filter((method) => method.name === name);
    expect(named('Answers.plain')).toEqual([{ name: 'Answers.plain', token: Answers, method: 'plain' }]);
    expect(named('Answers.answer')).toEqual([
      { name: 'Answers.answer', token: Answers, method: 'answer', key: 'support.answer' },
      { name: 'Answers.answer', token: 'MADE', method: 'answer', key: 'other.answer' },
    ]);
    expect(named('ScopedAnswers.answer')).toMatchObject([{ key: 'scoped.answer' }]);
    expect(named('Answers.constructor')).toEqual([]);
  });

  it('reports a method that the provider lacks', async () => {
    const replays = await boot((builder) => builder.overrideProvider(Answers).useValue({}));
    const missing = { error: { code: 'NESTJS_INVALID_OPTION', option: 'method' } };
    const { items } = await replays.replay(Answers, 'answer', { limit: 1 });
    expect(items).toMatchObject([missing]);
    const misspelt = await replays.replay('MADE', 'tilte', { key: 'ticket.count', limit: 1 });
    expect(misspelt.items).toMatchObject([missing]);
  });

  it('passes the request to request-scoped providers', async () => {
    const replays = await boot();
    const { items } = await replays.replay(ScopedAnswers, 'answer', {
      request: ([question]) => ({ user: `ann asking ${String(question)}` }),
    });
    expect(items).toMatchObject([{ result: 'q of ann asking q' }]);
  });

  it('restores the classes of objects and keeps plain data', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Tickets, 'title');
    expect(items[0]).toMatchObject({ result: 'late by ann@example.com' });
    expect(items[1]?.error).toEqual(new TypeError('ticket.title is not a function'));
    expect(items.map(({ notes }) => notes)).toEqual([undefined, undefined]);
  });

  it('notes arguments that no longer fit the method, and calls it anyway', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Tickets, 'count');
    expect(items).toMatchObject([
      {
        result: 'string',
        notes: [
          'Argument 1 does not match Tickets.count today: it is a string, a number is declared. It was passed as recorded.',
        ],
      },
    ]);
  });

  it('skips calls of another class that inherits the method', async () => {
    abstract class Base {
      constructor(private readonly price: string) {}
      @Traced('model.run')
      run(question: string): string {
        return `${this.price} ${question}`;
      }
    }
    @Injectable()
    class Cheap extends Base {
      constructor() {
        super('cheap');
      }
    }
    @Injectable()
    class Dear extends Base {
      constructor() {
        super('dear');
      }
    }
    const { tracer, spans } = createTestTracer();
    const live = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Cheap, Dear],
    }).compile();
    for (const question of ['a', 'b']) for (const model of [Cheap, Dear]) live.get<Base>(model).run(question);
    await live.close();
    const calls = await RecordedCallsService.start(spans);
    const replayWith = async (providers: Provider[]) => {
      const { tracer: playing } = createTestTracer({ serviceUrl: calls.url });
      app = await Test.createTestingModule({
        imports: [TracerModule.forRoot({ tracer: playing })],
        providers,
      }).compile();
      const { items } = await app.get(ReplayService).replay(Cheap, 'run', { limit: 2 });
      return items.map(({ result, originalOutput }) => [result, originalOutput]);
    };
    expect(await replayWith([Cheap, Dear])).toEqual([
      ['cheap a', 'cheap a'],
      ['cheap b', 'cheap b'],
    ]);
    await app.close();
    expect(calls.selection).toEqual({ limit: 2, except_classes: ['Dear'] });
    await app.get(ReplayService).replay(Cheap, 'run', { classes: ['Dear', 'Cheap'] });
    expect(calls.selection).toEqual({ classes: ['Dear', 'Cheap'] });
    // Cheap may have been named Dear before.
    expect(await replayWith([Cheap])).toEqual([
      ['cheap a', 'cheap a'],
      ['cheap a', 'dear a'],
    ]);
    await calls.close();
  });

  it('reports what adaptArgs must return', async () => {
    const replays = await boot();
    const adaptArgs = () => 'a' as unknown as [string];
    const { items } = await replays.replay(Answers, 'answer', { limit: 1, adaptArgs });
    expect(items).toMatchObject([{ error: { code: 'NESTJS_INVALID_OPTION', option: 'adaptArgs' } }]);
  });

  it.each(['adaptArgs', 'adaptInput'])('converts recorded arguments with %s', async (option) => {
    const replays = await boot();
    const ticket = Object.assign(new TicketDto(), { text: 'adapted', customer: new Customer() });
    const { items } = await replays.replay(Tickets, 'title', {
      [option]: () => [Object.assign(ticket, { customer: { mail: 'a@b.cd' } }), '!'],
      limit: 1,
    });
    expect(items).toMatchObject([{ result: 'adapted by no one!' }]);
  });

  it('passes arguments as recorded with rebuildArguments: false', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Tickets, 'title', { rebuildArguments: false, limit: 1 });
    expect(items[0]?.error).toMatchObject({ code: 'NESTJS_REPLAY_CLASS' });
  });
});
