import * as rxjs from 'rxjs';
import {
  connect,
  connectable,
  from,
  lastValueFrom,
  map,
  Observable,
  of,
  type OperatorFunction,
  range,
  share,
  Subject,
  take,
  toArray,
} from 'rxjs';
import type { TracerOptions } from '../../options/tracer-options.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import type { Tracer } from '../../tracer.js';

/** Deprecated operators too: applications use them. */
const { publishReplay, refCount } = rxjs as unknown as Record<
  'publishReplay' | 'refCount',
  (size?: number) => OperatorFunction<number, number>
>;

const subscribe = subscribeNow();

function subscribeNow(): unknown {
  return Object.getOwnPropertyDescriptor(Observable.prototype, 'subscribe')?.value;
}

const tracers: Tracer[] = [];

function setUp(options?: TracerOptions): TestTracer {
  const test = createTestTracer(options);
  tracers.push(test.tracer);
  return test;
}

afterEach(async () => {
  await Promise.all(tracers.splice(0).map((tracer) => tracer.shutdown()));
  expect(subscribeNow()).toBe(subscribe);
});

describe('a followed Observable', () => {
  it('stops an endless source that emits at once as soon as its consumer has enough', async () => {
    const test = setUp();
    let emitted = 0;
    const endless = (): Observable<number> =>
      new Observable((subscriber) => {
        while (!subscriber.closed && emitted < 1000) subscriber.next(emitted++);
      });
    const numbers = test.tracer.withSpan('k', endless)();
    expect(await lastValueFrom(numbers.pipe(take(2), toArray()))).toEqual([0, 1]);
    expect(emitted).toBe(2);
    expect(test.spans).toMatchObject([{ status: 'cancelled', span_data: { output: [0, 1] } }]);
  });

  it('is cancelled by a consumer that leaves while a list is emitted at once', async () => {
    const test = setUp();
    const numbers = test.tracer.withSpan('k', () => from([0, 1, 2]))();
    await lastValueFrom(numbers.pipe(take(2)));
    expect(test.spans).toMatchObject([{ status: 'cancelled', span_data: { output: [0, 1] } }]);
  });

  it('keeps private fields of its subclass in reach', async () => {
    class Feed extends Observable<number> {
      #name = 'feed';
      get label(): string {
        return this.#name;
      }
      set label(name: string) {
        this.#name = name;
      }
      rename(name: string): this {
        this.#name = name;
        return this;
      }
    }
    const feed = setUp().tracer.withSpan(
      'k',
      () =>
        new Feed((subscriber) => {
          subscriber.complete();
        }),
    )();
    feed.label = 'news';
    expect(feed.label).toBe('news');
    expect(feed.rename('old')).toBe(feed);
    expect(feed.label).toBe('old');
  });

  it('shares a Subject among its subscribers', async () => {
    const test = setUp();
    const subject = test.tracer.withSpan('k', () => new Subject<number>())();
    const seen: string[] = [];
    subject.subscribe((n) => seen.push(`a${n}`));
    subject.asObservable().subscribe((n) => seen.push(`b${n}`));
    of(1, 2).subscribe(subject);
    expect(seen).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect(test.spans).toMatchObject([
      { status: 'ok', span_data: { output: [1, 2] } },
      { status: 'ok', span_data: { output: [1, 2] } },
    ]);
  });

  it('can be converted by rxjs and by toPromise', async () => {
    const numbers = setUp().tracer.withSpan('k', () => range(1, 3))();
    expect(await lastValueFrom(from(numbers))).toBe(3);
    const { toPromise } = numbers as unknown as { toPromise(): Promise<number> };
    expect(await toPromise.call(numbers)).toBe(3);
  });

  it('is no open span while nobody subscribes', async () => {
    const test = setUp({ unfinishedAfterMs: 1 });
    test.tracer.withSpan('k', () => of(1))();
    await test.tracer.shutdown();
    expect(test.spans).toEqual([]);
  });

  it('does not wrap an object that subscribes and pipes but is not an Observable', () => {
    const warnings: string[] = [];
    const test = setUp({ logger: { warn: (text) => warnings.push(text) } });
    class Broker {
      subscribe(): void {}
      pipe(): void {}
    }
    const broker = new Broker();
    expect(test.tracer.withSpan('k', () => broker)()).toBe(broker);
    expect(warnings).toEqual([]);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it('runs its operators inside the span, and its consumer in its own context, whoever emits', () => {
    const { tracer, spans } = setUp();
    const subject = new Subject<number>();
    const ask = tracer.withSpan('ask', (of: string) => of);
    const numbers = tracer.withSpan('numbers', () => subject.pipe(map(() => ask('inside'))));
    const consume = tracer.withSpan('consume', async () => {
      await lastValueFrom(numbers().pipe(map(() => ask('outside'))));
    });
    const consumed = consume();
    tracer.withSpan('feed', () => {
      subject.next(1);
      subject.complete();
    })();
    return consumed.then(() => {
      const findId = (key: string): unknown => spans.find((span) => span.trace_function_key === key)?.id;
      expect(
        spans
          .filter((span) => span.trace_function_key === 'ask')
          .map((span) => [span.span_data.output, span.parent_id]),
      ).toEqual([
        ['inside', findId('numbers')],
        ['outside', findId('consume')],
      ]);
    });
  });

  it.each<[string, () => Observable<number>]>([
    ['connect', () => of(1, 2).pipe(connect((shared) => shared))],
    ['share', () => of(1, 2).pipe(share())],
    ['publishReplay and refCount', () => of(1, 2).pipe(publishReplay(2), refCount())],
  ])('gives what it gave below %s', async (_name, source) => {
    const { tracer, spans } = setUp();
    const followed = tracer.withSpan('k', source)();
    expect(await lastValueFrom(followed.pipe(toArray()))).toEqual([1, 2]);
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: [1, 2] } }]);
  });

  it('can be connected, and counted by refCount', async () => {
    const { tracer, spans } = setUp();
    const source = new Subject<number>();
    const connected = tracer.withSpan('k', () => connectable(source, { connector: () => new Subject() }))();
    const seen: number[] = [];
    connected.subscribe((n) => seen.push(n));
    connected.connect();
    source.next(1);
    source.complete();
    expect(seen).toEqual([1]);
    const counted = tracer.withSpan('counted', () => publishReplay(1)(of(2)))();
    expect(await lastValueFrom(counted.pipe(refCount()))).toBe(2);
    expect(spans.map(({ status, span_data: data }) => [status, data.output])).toEqual([
      ['ok', [1]],
      ['ok', [2]],
    ]);
  });

  it('is unchanged when it is not from RxJS', () => {
    const { tracer, spans } = setUp();
    const heard: unknown[] = [];
    const interop = {
      subscribe: (observer: { next(value: number): void }) => {
        observer.next(1);
      },
      pipe: () => interop,
      '@@observable': () => interop,
    };
    const returned = tracer.withSpan('k', () => interop)();
    expect(returned).toBe(interop);
    from(returned as unknown as Observable<number>).subscribe((value) => heard.push(value));
    expect(heard).toEqual([1]);
    expect(spans).toMatchObject([{ status: 'ok' }]);
  });

  it('wraps subscribe of its RxJS until the last tracer has shut down', async () => {
    const [first, second] = [setUp().tracer, setUp().tracer];
    for (const tracer of [first, second]) tracer.withSpan('k', () => of(1))();
    expect(subscribeNow()).not.toBe(subscribe);
    await first.shutdown();
    expect(subscribeNow()).not.toBe(subscribe);
    await second.shutdown();
    expect(subscribeNow()).toBe(subscribe);
    expect(await lastValueFrom(first.withSpan('late', () => of(1))())).toBe(1);
    expect(subscribeNow()).toBe(subscribe);
  });
});
