import { Injectable, Scope } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { ReplayService } from './replay.service.js';

const outside: string[] = [];

@Injectable()
class Mailer {
  @Traced('mail.send', { mockOnReplay: true, sessionId: (to: string) => to })
  async send(to: string, text: string): Promise<{ id: string; at: Date }> {
    outside.push(`${to}: ${text}`);
    return Promise.resolve({ id: `mail-${outside.length}`, at: new Date(outside.length) });
  }
}

@Injectable()
@Traced('ledger', { mockOnReplay: true })
class Ledger {
  book(cents: number): string {
    outside.push(`booked ${cents}`);
    if (cents < 0) throw new RangeError('nothing to book');
    return `entry-${outside.length}`;
  }
}

@Injectable()
class Orders {
  static text = 'thank you';

  constructor(
    private readonly mailer: Mailer,
    private readonly ledger: Ledger,
  ) {}

  @Traced('orders.place')
  async place(cents: number): Promise<string> {
    const entry = this.ledger.book(cents);
    const { id, at } = await this.mailer.send('ann@example.com', Orders.text);
    return `${entry}, ${id} at ${at.getTime()}`;
  }
}

describe('mockOnReplay of @Traced', () => {
  let service: RecordedCallsService;
  let app: TestingModule;

  beforeEach(async () => {
    outside.length = 0;
    Orders.text = 'thank you';
    const recorded = createTestTracer();
    const live = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer: recorded.tracer })],
      providers: [Mailer, Ledger, Orders],
    }).compile();
    await live.get(Orders).place(500);
    await live
      .get(Orders)
      .place(-1)
      .catch(() => undefined);
    await live.close();
    service = await RecordedCallsService.start(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    app = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [Mailer, Ledger, Orders],
    }).compile();
    outside.length = 0;
  });

  afterEach(async () => {
    await app.close();
    await service.close();
  });

  it('sends no second mail: marked methods return and throw what was recorded', async () => {
    const { items } = await app.get(ReplayService).replay(Orders, 'place', { mock: 'marked' });
    expect(outside).toEqual([]);
    expect(items[0]).toMatchObject({ result: 'entry-1, mail-2 at 2', divergences: [] });
    expect(items[1]?.error).toMatchObject({ name: 'RangeError', message: 'nothing to book' });
  });

  it('answers a changed mail from the recording, and reports the divergence', async () => {
    Orders.text = 'thank you so much';
    const { items } = await app.get(ReplayService).replay('orders.place', { mock: 'marked' });
    expect(outside).toEqual([]);
    expect(items[0]).toMatchObject({
      result: 'entry-1, mail-2 at 2',
      divergences: [
        {
          kind: 'changed_arguments',
          path: ['mail.send'],
          newArguments: '["ann@example.com","thank you so much"]',
        },
      ],
    });
  });

  it('fails on a changed mail with onMockMiss: fail', async () => {
    Orders.text = 'thank you so much';
    const options = { mock: 'marked', onMockMiss: 'fail' } as const;
    const { items } = await app.get(ReplayService).replay('orders.place', options);
    expect(outside).toEqual([]);
    expect(items[0]?.error).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      path: ['mail.send'],
      nearestArguments: '["ann@example.com","thank you"]',
    });
    expect(items[0]?.divergences).toMatchObject([{ kind: 'changed_arguments', path: ['mail.send'] }]);
  });

  it('sends no mail through an untraced override', async () => {
    @Injectable()
    class OrdersOfATest extends Orders {
      override place(cents: number): Promise<string> {
        return super.place(cents);
      }
    }
    class PlainOrders {
      constructor(private readonly mailer: Mailer) {}
      async place(): Promise<string> {
        return (await this.mailer.send('ann@example.com', 'thank you')).id;
      }
    }
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const overridden = (): TestingModuleBuilder =>
      Test.createTestingModule({
        imports: [TracerModule.forRoot({ tracer })],
        providers: [Mailer, Ledger, Orders],
      });
    const subclass = overridden().overrideProvider(Orders).useClass(OrdersOfATest);
    const plain = overridden()
      .overrideProvider(Orders)
      .useFactory({ factory: (mailer: Mailer) => new PlainOrders(mailer), inject: [Mailer] });
    const results: unknown[] = [];
    for (const builder of [subclass, plain]) {
      const other = await builder.compile();
      const { items } = await other.get(ReplayService).replay(Orders, 'place', { mock: 'marked' });
      results.push(items[0]?.result);
      await other.close();
    }
    expect(outside).toEqual([]);
    expect(results).toEqual(['entry-1, mail-2 at 2', 'mail-2']);
  });

  it('creates a request-scoped provider without sending the mail of its constructor', async () => {
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const made = await Test.createTestingModule({
      imports: [TracerModule.forRoot({ tracer })],
      providers: [
        Mailer,
        Ledger,
        {
          provide: Orders,
          scope: Scope.REQUEST,
          useFactory: async (mailer: Mailer, ledger: Ledger) => {
            await mailer.send('ops@example.com', 'made');
            return new Orders(mailer, ledger);
          },
          inject: [Mailer, Ledger],
        },
      ],
    }).compile();
    const { items } = await made.get(ReplayService).replay(Orders, 'place', { mock: 'marked' });
    await made.close();
    expect(outside).toEqual([]);
    expect(items[0]?.error).toMatchObject({ code: 'TRACER_REPLAY_MOCK_MISS', path: ['mail.send'] });
  });

  it('runs all methods without mock', async () => {
    await app.get(ReplayService).replay(Orders, 'place');
    expect(outside).toEqual(['booked 500', 'ann@example.com: thank you', 'booked -1']);
  });
});
