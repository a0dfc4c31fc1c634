import { Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { createTestTracer, type TestTracer } from '@dacapo/tracer/testing';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { ReplayService } from './replay.service.js';

@Injectable({ scope: Scope.REQUEST })
class Tenant {
  constructor(@Inject(REQUEST) private readonly request: { tenant?: string }) {}

  get name(): string {
    return this.request.tenant ?? 'nobody';
  }
}

@Injectable()
class Desk {
  constructor(private readonly tenant: Tenant) {}

  @Traced('desk', { type: 'llm' })
  async classify(text: string): Promise<string> {
    return Promise.resolve(`${this.tenant.name}: ${text.includes('late') ? 'delivery' : 'other'}`);
  }

  previous(): string {
    return `${this.tenant.name}: before`;
  }

  untraced(text: string): number {
    return text.length;
  }
}

describe('evaluate of ReplayService', () => {
  let recorded: TestTracer;
  let service: RecordedCallsService;
  let app: TestingModule;
  let replays: ReplayService;

  beforeEach(async () => {
    recorded = createTestTracer();
    recorded.tracer.withSpan('desk', (text: string) => `old: ${text}`)('it is late');
    service = await RecordedCallsService.start(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Tenant, Desk],
    }).compile();
    replays = app.get(ReplayService);
  });

  afterEach(async () => {
    await app.close();
    await service.close();
  });

  it('calls a baseline method on the same provider', async () => {
    const run = await replays.evaluate(Desk, 'classify', {
      data: [{ input: 'it is late', metadata: { tenant: 'ann' } }],
      baseline: { function: Desk.prototype.previous },
      request: (_, { metadata }) => metadata,
      gate: { p95Ms: { maxRise: 60_000 } },
    });
    expect(run.items).toMatchObject([
      { verdict: 'changed', result: 'ann: delivery', originalOutput: 'ann: before', timing: 'paired' },
    ]);
    await expect(replays.replay(Desk, 'classify', { gate: { p95Ms: { maxRise: 0 } } })).rejects.toMatchObject(
      { code: 'TRACER_INVALID_OPTION' },
    );
  });

  it('runs a list through the method of a provider that is created for each item', async () => {
    const run = await replays.evaluate(Desk, 'classify', {
      data: [
        { input: 'it is late', expected: 'ann: delivery', metadata: { tenant: 'ann' } },
        { input: 'why', expected: 'bob: delivery', metadata: { tenant: 'bob' } },
      ],
      request: (_, { metadata }) => ({ tenant: metadata['tenant'] }),
      evaluators: { right: ({ output, expected = '' }) => output.endsWith(expected.slice(4)) },
    });
    expect(run.items.map(({ result, verdict }) => [result, verdict])).toEqual([
      ['ann: delivery', 'same'],
      ['bob: other', 'changed'],
    ]);
    expect(run.scores['right']).toMatchObject({ mean: 0.5, n: 2 });
    expect(service.items.map(({ input }) => input).sort()).toEqual([['it is late'], ['why']]);
  });

  it('replays recorded calls with the own key, with another key, and by key alone', async () => {
    const evaluators = { length: ({ output }: { output: unknown }) => String(output).length };
    const data = { key: 'desk', limit: 5 };
    for (const run of [
      await replays.evaluate(Desk, 'classify', { data, evaluators }),
      await replays.evaluate('desk', { data, evaluators }),
      await replays.evaluate(Desk, 'untraced', { data, key: 'lengths' }),
    ])
      expect(run.items).toMatchObject([{ input: ['it is late'], originalOutput: 'old: it is late' }]);
  });

  it('is refused without data, and for an untraced method without a key', async () => {
    await expect(Reflect.apply(replays.evaluate.bind(replays), null, [Desk, 'classify'])).rejects.toThrow(
      'evaluate.data is missing',
    );
    await expect(replays.evaluate(Desk, 'untraced', { data: [] })).rejects.toMatchObject({
      code: 'NESTJS_NOT_TRACED',
    });
  });
});
