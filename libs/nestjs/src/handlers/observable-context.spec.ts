import {
  Controller,
  Get,
  type INestApplication,
  Injectable,
  type MessageEvent,
  Param,
  Sse,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as rxjs from 'rxjs';
import {
  concat,
  connect,
  connectable,
  defer,
  filter,
  from,
  interval,
  map,
  merge,
  mergeMap,
  NEVER,
  Observable,
  of,
  type OperatorFunction,
  ReplaySubject,
  share,
  shareReplay,
  Subject,
  take,
} from 'rxjs';
import type { SpanRecord } from '@dacapo/protocol';
import { TracerModule } from '../module/tracer.module.js';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';

const USERS = Array.from({ length: 50 }, (_, index) => `user${index}`);

@Injectable()
class Model {
  @Traced('ask')
  async ask(user: string): Promise<string> {
    return user;
  }
}

type Deprecated = 'publish' | 'publishBehavior' | 'publishLast' | 'publishReplay' | 'multicast' | 'refCount';

/** Includes deprecated operators, because applications use them. */
const { publish, publishBehavior, publishLast, publishReplay, multicast, refCount } =
  rxjs as unknown as Record<Deprecated, (...args: unknown[]) => OperatorFunction<number, number>>;

class Feed extends Observable<number> {
  constructor(readonly first: number) {
    super((subscriber) => {
      subscriber.next(this.first);
      subscriber.complete();
    });
  }
}

const HOT: Record<string, () => Observable<number>> = {
  publish: () => of(1).pipe(publish(), refCount()),
  publishBehavior: () => NEVER.pipe(publishBehavior(1), refCount(), take(1)),
  publishLast: () => of(1).pipe(publishLast(), refCount()),
  publishReplay: () => of(1).pipe(publishReplay(1), refCount()),
  multicast: () =>
    of(1).pipe(
      multicast(() => new Subject<number>()),
      refCount(),
    ),
  connect: () => of(1).pipe(connect((shared) => shared)),
  share: () => of(1).pipe(share()),
  shareReplay: () => of(1).pipe(shareReplay(1)),
  connectable: () => {
    const connected = connectable(of(1), { connector: () => new ReplaySubject(), resetOnDisconnect: false });
    connected.connect();
    return connected;
  },
  'a class of its own': () => new Feed(1),
};

@Controller()
class HotController {
  @Get('plain/:kind')
  plain(@Param('kind') kind: string): Observable<number> | undefined {
    return HOT[kind]?.();
  }

  @Get('promised/:kind')
  async promised(@Param('kind') kind: string): Promise<Observable<number> | undefined> {
    return HOT[kind]?.();
  }

  @Get('recorded/:kind')
  @Traced('recorded')
  recorded(@Param('kind') kind: string): Observable<number> | undefined {
    return HOT[kind]?.();
  }
}

/** The stream of each listener: a call of the model for the listener at each post. */
type Listen = (posts: Observable<string>, ask: () => Promise<string>) => Observable<string>;

const FEEDS: Record<string, Listen> = {
  'merge with a heartbeat': (posts, ask) =>
    merge(interval(60_000).pipe(map(() => 'heartbeat')), posts.pipe(mergeMap(ask))),
  concat: (posts, ask) =>
    concat(of('hello'), posts.pipe(mergeMap(ask))).pipe(filter((text) => text !== 'hello')),
  defer: (posts, ask) => defer(() => posts.pipe(mergeMap(ask))),
  'new Observable': (posts, ask) =>
    new Observable((subscriber) => posts.pipe(mergeMap(ask)).subscribe(subscriber)),
  'an inner subscription': (posts, ask) =>
    new Observable((subscriber) =>
      posts.subscribe(
        () =>
          void ask().then((text) => {
            subscriber.next(text);
          }),
      ),
    ),
  'from an interop object': (posts, ask) =>
    from({
      [(Symbol as { observable?: symbol }).observable ?? '@@observable']: () => posts.pipe(mergeMap(ask)),
    } as unknown as Observable<string>),
};

@Controller()
class FeedController {
  readonly posts = new Subject<string>();
  constructor(private readonly model: Model) {}

  @Sse('feeds/:feed/:user')
  feed(@Param('feed') feed: string, @Param('user') user: string): Observable<MessageEvent> {
    const made = FEEDS[feed]?.(this.posts, () => this.model.ask(user)) ?? NEVER;
    return made.pipe(
      take(2),
      map((data) => ({ data })),
    );
  }

  @Get('later/:user')
  async later(@Param('user') user: string): Promise<Observable<string> | string> {
    if (user === 'nobody') return 'plain data';
    return this.posts.pipe(
      mergeMap(() => this.model.ask(user)),
      take(2),
      filter((_, index) => index === 1),
    );
  }

  @Get('posts/:user')
  async post(@Param('user') user: string): Promise<string> {
    await this.model.ask(user);
    this.posts.next(user);
    return user;
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('Observables on %s', (_platform, createAdapter) => {
  let app: INestApplication;
  let url: string;

  async function boot(apiKey?: string): Promise<void> {
    const module = await Test.createTestingModule({
      imports: [
        TracerModule.forRoot(apiKey === undefined ? {} : { apiKey }),
        ...(apiKey === undefined ? [] : [TracerTestingModule.forRoot()]),
      ],
      controllers: [HotController, FeedController],
      providers: [Model],
    }).compile();
    app = module.createNestApplication(
      createAdapter() as ExpressAdapter,
      { logger: false, forceCloseConnections: true } as object,
    );
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  }
  afterEach(() => app.close());

  const read = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      get(`${url}/${path}`, { agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          resolve(`${response.statusCode} ${text}`);
        });
      }).on('error', reject);
    });
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  }

  it.each([undefined, 'in-memory'])('return their values unchanged with the key %s', async (apiKey) => {
    await boot(apiKey);
    for (const handler of ['plain', 'promised', 'recorded'])
      for (const kind of Object.keys(HOT))
        expect([handler, kind, await read(`${handler}/${encodeURIComponent(kind)}`)]).toEqual([
          handler,
          kind,
          '200 1',
        ]);
  });

  /** Sends two posts to all listeners. Each trace must have calls of one user only. */
  async function listenAll(path: (user: string) => string): Promise<void> {
    const { posts } = app.get(FeedController);
    const { spans } = app.get(TracerTestingModule);
    const listening = USERS.map((user) => read(path(user)));
    await until(() => (posts as unknown as { observers: unknown[] }).observers.length === USERS.length);
    await read('posts/first-poster');
    await read('posts/second-poster');
    await Promise.all(listening);
    const askSpans = (): SpanRecord[] => spans.filter((span) => span.trace_function_key === 'ask');
    await until(() => askSpans().length === 2 * USERS.length + 2);
    const traces = new Map<string, Set<unknown>>();
    for (const { trace_id: trace, span_data: data } of askSpans())
      traces.set(trace, (traces.get(trace) ?? new Set()).add(data.input?.[0]));
    expect([...traces.values()].filter((users) => users.size > 1)).toEqual([]);
    expect(traces.size).toBe(USERS.length + 2);
  }

  it.each(Object.keys(FEEDS))('keep users apart: %s', async (feed) => {
    await boot('in-memory');
    await listenAll((user) => `feeds/${encodeURIComponent(feed)}/${user}`);
  });

  it('keep users apart after the same async handler returned plain data', async () => {
    await boot('in-memory');
    expect(await read('later/nobody')).toBe('200 plain data');
    await listenAll((user) => `later/${user}`);
  });
});
