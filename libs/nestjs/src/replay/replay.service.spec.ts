import { Inject, Injectable, Scope } from '@nestjs/common';
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

@Injectable({ scope: Scope.REQUEST })
class ScopedAnswers {
  static made = 0;
  constructor(@Inject(REQUEST) readonly request: unknown) {
    ScopedAnswers.made++;
  }

  @Traced('scoped.answer')
  answer(question: string): string {
    return question;
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
      providers: [Model, Answers, ScopedAnswers],
    });
    app = await adjust(builder).compile();
    return app.get(ReplayService);
  }

  beforeAll(async () => {
    const group = recorded.tracer.getFunction('support.answer');
    const record = group.withSpan((question: string) => `old ${question}`);
    for (const question of ['a', 'b', 'bad']) record(question);
    recorded.tracer.withSpan('scoped.answer', (question: string) => question)('q');
    service = await RecordedCallsService.start(recorded.spans);
  });
  afterAll(() => service.close());
  afterEach(() => app.close());

  it('runs the live method of the provider on the recorded arguments', async () => {
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

  it('opens one span for each call, not one of its own around it', async () => {
    const { tracer, spans } = createTestTracer({ serviceUrl: service.url });
    app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Model, Answers],
    }).compile();
    await app.get(ReplayService).replay(Answers, 'answer');
    expect(spans).toHaveLength(3);
    expect(spans.every((span) => span.parent_id === undefined && span.test_run_id === 'run-1')).toBe(true);
  });

  it('runs through what overrideProvider put in the place of a dependency', async () => {
    const replays = await boot((builder) =>
      builder.overrideProvider(Model).useValue({ ask: (question: string) => `new ${question}` }),
    );
    const { items } = await replays.replay(Answers, 'answer', { limit: 1 });
    expect(items).toMatchObject([{ result: 'new a', originalOutput: 'old a' }]);
  });

  it('makes a provider in request scope anew for each call', async () => {
    const replays = await boot();
    const before = ScopedAnswers.made;
    const { items } = await replays.replay(ScopedAnswers, 'answer');
    expect(items).toMatchObject([{ result: 'q' }]);
    expect(ScopedAnswers.made).toBe(before + 1);
  });

  it('replays an undecorated method under a key that is given', async () => {
    const replays = await boot();
    const { items } = await replays.replay(Answers, 'plain', { key: 'support.answer', limit: 1 });
    expect(items).toMatchObject([{ result: 'a' }]);
  });

  it('refuses an undecorated method without a key, with the cure', async () => {
    const replays = await boot();
    await expect(replays.replay(Answers, 'plain')).rejects.toThrow(
      /Decorate it with @Traced, or name the key/,
    );
  });
});
