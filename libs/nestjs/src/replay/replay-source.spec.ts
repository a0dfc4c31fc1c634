import { Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { getCurrentTrace, type ReplaySource } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { ClsModule, ClsService } from 'nestjs-cls';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import type { ServiceReplayOptions } from './replay-options.js';
import { ReplayService } from './replay.service.js';

@Injectable()
class Prices {
  constructor(private readonly cls: ClsService) {}

  @Traced('prices.of')
  async of(item: string, onDone?: (item: string) => void): Promise<string> {
    await Promise.resolve();
    onDone?.(item);
    return `${item} for ${this.cls.isActive() ? this.cls.get<string>('tenant') : 'nobody'}`;
  }

  @Traced('prices.all')
  async *all(): AsyncGenerator<string> {
    yield await this.of('tea');
    yield await this.of('cake');
  }
}

@Injectable({ scope: Scope.REQUEST })
class Basket {
  constructor(
    @Inject(REQUEST) private readonly request: { user?: string } | undefined,
    private readonly prices: Prices,
  ) {}

  @Traced('basket.show')
  async show(item: string): Promise<string> {
    return `${this.request?.user ?? 'nobody'}: ${await this.prices.of(item)}`;
  }
}

/** Calls of two tenants, each in its own trace, newest last. */
async function record(): Promise<RecordedCallsService> {
  const { tracer, spans, traces } = createTestTracer();
  const app = await Test.createTestingModule({
    imports: [TracerModule.forRoot({ tracer }), ClsModule.forRoot()],
    providers: [Prices, Basket],
  }).compile();
  const prices = app.get(Prices);
  const basket = await app.resolve(Basket);
  for (const tenant of ['ann', 'bob']) {
    const inTrace = (work: () => unknown) =>
      app.get(ClsService).run(() => {
        app.get(ClsService).set('tenant', tenant);
        return tracer.withSpan('request', async () => {
          getCurrentTrace().setSessionId(`session of ${tenant}`);
          getCurrentTrace().setMetadata({ tenant });
          getCurrentTrace().addContext({ plan: 'pro' });
          await work();
        })();
      });
    await inTrace(() => prices.of('tea', () => undefined));
    await inTrace(() => basket.show('tea'));
    await inTrace(async () => {
      const items: string[] = [];
      for await (const item of prices.all()) items.push(item);
    });
  }
  await app.close();
  return RecordedCallsService.start(
    spans.filter(({ trace_function_key: key, parent_id }) => key !== 'prices.of' || isRoot(parent_id)),
    traces,
  );
  /** As in the service, calls inside `prices.all` and `basket.show` are not replayed by themselves. */
  function isRoot(parentId: string | undefined): boolean {
    return spans.some(({ id, trace_function_key: key }) => id === parentId && key === 'request');
  }
}

describe('the source of a replayed call', () => {
  let service: RecordedCallsService;
  beforeAll(async () => {
    service = await record();
  });
  afterAll(() => service.close());

  async function replaying<R>(use: (replays: ReplayService, cls: ClsService) => Promise<R>): Promise<R> {
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer }), ClsModule.forRoot()],
      providers: [Prices, Basket],
    }).compile();
    try {
      return await use(app.get(ReplayService), app.get(ClsService));
    } finally {
      await app.close();
    }
  }

  const asTenant =
    (cls: ClsService): NonNullable<ServiceReplayOptions['around']> =>
    (call, { metadata }) =>
      cls.run(() => {
        cls.set('tenant', metadata['tenant']);
        return call();
      });

  it('lets around restore the context of each call, such as the tenant of nestjs-cls', async () => {
    const { items } = await replaying((replays, cls) =>
      replays.replay(Prices, 'of', {
        around: asTenant(cls),
        adaptArgs: ([item]): [string] => [item as string],
      }),
    );
    expect(items.map(({ result, originalOutput }) => [result, originalOutput])).toEqual([
      ['tea for ann', 'tea for ann'],
      ['tea for bob', 'tea for bob'],
    ]);
  });

  it('is available until a stream has ended', async () => {
    const { items } = await replaying((replays, cls) =>
      replays.replay(Prices, 'all', { around: asTenant(cls), limit: 1 }),
    );
    expect(items[0]?.result).toEqual(['tea for ann', 'cake for ann']);
  });

  it('has ids, session, metadata and contexts, for request and adaptArgs too', async () => {
    const sources: ReplaySource[] = [];
    const { items } = await replaying((replays, cls) =>
      replays.replay(Basket, 'show', {
        around: asTenant(cls),
        request: (_args, { sessionId }) => ({ user: sessionId }),
        adaptArgs: ([item], source): [string] => {
          sources.push(source);
          return [item as string];
        },
      }),
    );
    expect(items.map(({ result }) => result)).toEqual([
      'session of ann: tea for ann',
      'session of bob: tea for bob',
    ]);
    expect(sources[0]).toEqual({
      traceId: items[0]?.sourceTraceId,
      spanId: items[0]?.sourceSpanId,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      sessionId: 'session of ann',
      metadata: { tenant: 'ann' },
      contexts: { plan: 'pro' },
    });
  });

  it('turns an error of around, or a missing call, into the error of the item', async () => {
    const { items } = await replaying((replays) =>
      replays.replay(Prices, 'all', {
        around: (_call, { metadata }) => {
          if (metadata['tenant'] === 'ann') throw new Error('no database');
        },
      }),
    );
    expect(items).toMatchObject([
      { error: new Error('no database') },
      { error: { code: 'TRACER_INVALID_OPTION', option: 'replay.around' } },
    ]);
  });

  it('replays a call with a callback only if adaptArgs supplies one', async () => {
    const done: string[] = [];
    const { items } = await replaying((replays) =>
      replays.replay(Prices, 'of', {
        adaptArgs: ([item]): [string, (item: string) => void] => [item as string, (text) => done.push(text)],
      }),
    );
    expect([items.map(({ error }) => error), done]).toEqual([
      [undefined, undefined],
      ['tea', 'tea'],
    ]);
    const kept = await replaying((replays) =>
      replays.replay(Prices, 'of', { adaptArgs: (args) => args as [string] }),
    );
    expect(kept.items).toMatchObject([
      { error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } },
      { error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } },
    ]);
  });
});
