import { Injectable, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createTestTracer } from '@dacapo/tracer/testing';
import { RecordedCallsService } from '../../test/recorded-calls-service.js';
import { TracerModule } from '../module/tracer.module.js';
import { ReplayService } from '../replay/replay.service.js';
import { Traced } from './traced.decorator.js';

const PLACE = Symbol('place');

/** Replaces the method by another function, as database decorators do. */
function Transactional(): MethodDecorator {
  return (_target, _name, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    descriptor.value = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      return Reflect.apply(method, this, args);
    };
  };
}

@Injectable()
class Orders {
  @Transactional()
  @Traced('orders.below')
  async below(cents: number): Promise<string> {
    return `below ${cents}`;
  }

  @Traced('orders.above')
  @Transactional()
  async above(cents: number): Promise<string> {
    return `above ${cents}`;
  }

  @Traced('orders.outer')
  @Transactional()
  @Traced('orders.inner')
  async twice(cents: number): Promise<string> {
    return `twice ${cents}`;
  }

  @Traced('orders.place')
  [PLACE](cents: number): string {
    return `placed ${cents}`;
  }
}

@Injectable()
class RushedOrders extends Orders {
  @Transactional()
  @Traced('orders.below')
  override async below(cents: number): Promise<string> {
    return `rushed ${await super.below(cents)}`;
  }
}

@Injectable()
class PlainOrders extends Orders {
  override async below(cents: number): Promise<string> {
    return `plain ${cents}`;
  }
}

@Traced('stock')
@Injectable()
class Stock {
  @Transactional()
  @Traced('stock.own')
  async count(): Promise<number> {
    return 1;
  }
}

async function boot(options: { serviceUrl?: string } = {}, providers: Type[] = [Orders, Stock]) {
  const { tracer, spans } = createTestTracer(options);
  const app = await Test.createTestingModule({
    imports: [TracerModule.forRoot({ tracer })],
    providers,
  }).compile();
  return { app, spans };
}

/** Records in one application and replays in another. */
async function replay(
  record: (orders: Orders) => unknown,
  startReplay: (replays: ReplayService) => ReturnType<ReplayService['replay']>,
): Promise<unknown[]> {
  const recording = await boot();
  await record(recording.app.get(Orders));
  await recording.app.close();
  const service = await RecordedCallsService.start(recording.spans);
  const { app } = await boot({ serviceUrl: service.url });
  try {
    const { items } = await startReplay(app.get(ReplayService));
    return items.map(({ result, error }) => error ?? result);
  } finally {
    await app.close();
    await service.close();
  }
}

describe('a method with @Traced and other decorators', () => {
  it('replays by its name below a decorator that replaces the function', async () => {
    const results = await replay(
      (orders) => orders.below(7),
      (replays) => replays.replay(Orders, 'below'),
    );
    expect(results).toEqual(['below 7']);
  });

  it('replays by its key below a decorator that replaces the function', async () => {
    const results = await replay(
      (orders) => orders.above(7),
      (replays) => replays.replay('orders.above'),
    );
    expect(results).toEqual(['above 7']);
  });

  it('is one span with the inner key if it is traced twice', async () => {
    const { app, spans } = await boot();
    await app.get(Orders).twice(7);
    await app.close();
    expect(spans.map((span) => span.trace_function_key)).toEqual(['orders.inner']);
  });

  it('is one span if an override with the same key calls it', async () => {
    const { app, spans } = await boot({}, [RushedOrders]);
    await expect(app.get(RushedOrders).below(7)).resolves.toBe('rushed below 7');
    await app.close();
    expect(spans).toMatchObject([{ trace_function_key: 'orders.below' }]);
  });

  it('is not traced in a subclass that overrides it without @Traced', async () => {
    const { app, spans } = await boot({}, [PlainOrders]);
    await app.get(PlainOrders).below(7);
    expect(spans).toEqual([]);
    const replays = app.get(ReplayService);
    await expect(replays.replay(PlainOrders, 'below')).rejects.toMatchObject({ code: 'NESTJS_NOT_TRACED' });
    await app.close();
  });

  it('keeps its own key in a class with @Traced', async () => {
    const { app, spans } = await boot();
    await app.get(Stock).count();
    await app.close();
    expect(spans.map((span) => span.trace_function_key)).toEqual(['stock.own']);
  });

  it('replays if its name is a symbol', async () => {
    const results = await replay(
      (orders) => orders[PLACE](7),
      (replays) => replays.replay(Orders, PLACE),
    );
    expect(results).toEqual(['placed 7']);
    const byKey = await replay(
      (orders) => orders[PLACE](7),
      (replays) => replays.replay('orders.place'),
    );
    expect(byKey).toEqual(['placed 7']);
  });

  it('is listed with its key, also under a symbol', async () => {
    const { app } = await boot();
    const listed = app
      .get(ReplayService)
      .methods()
      .filter(({ token }) => token === Orders);
    expect(listed.map(({ name, key }) => [name, key])).toEqual([
      ['Orders.below', 'orders.below'],
      ['Orders.above', 'orders.above'],
      ['Orders.twice', 'orders.inner'],
      ['Orders.Symbol(place)', 'orders.place'],
    ]);
    await app.close();
  });
});
